// SPDX-License-Identifier: MIT
// The metadata files of a module. The first byte says which one the rest is.
#include "common/catalog/metadata.hpp"

#include "tests/fuzz/input.hpp"

using namespace mark6;
using mark6::fuzz::expect;

namespace {

void check_refusal(const Error& error) {
  expect(error.code == ErrorCode::kBadFormat && !error.found.empty(), "a refusal says why");
}

void slist(std::string_view text) {
  const auto records = parse_slist(text);
  if (!records) return check_refusal(records.error());
  expect(records->size() <= kMaxScanRecords, "no more scans than the cap");
  for (const ScanRecord& record : *records) {
    expect(!record.name.empty() && record.name.size() <= 2 * text.size(), "a name from the text");
  }
}

void group(std::string_view text) {
  const auto modules = parse_group(text);
  if (!modules) return check_refusal(modules.error());
  for (const ModuleSerial& module : *modules) expect(!module.msn.empty(), "a module has a name");
}

void serial(std::string_view text) {
  const auto module = parse_emsn(text);
  if (!module) return check_refusal(module.error());
  expect(!module->msn.empty() && module->msn.size() <= text.size(), "a name from the text");
}

void disk_serials(std::string_view text) {
  const auto serials = parse_disk_sn(text);
  if (!serials) check_refusal(serials.error());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint32_t kind = input.below(4);
  const std::string_view text = input.rest_as_text();
  if (kind == 0) slist(text);
  if (kind == 1) group(text);
  if (kind == 2) serial(text);
  if (kind == 3) disk_serials(text);
  return 0;
}
