// SPDX-License-Identifier: MIT
// `mark6 filelist`: lines as the tools of DiFX print them.
#include "tests/support/program_run.hpp"
#include "tests/unit/catalog_fixture.hpp"
#include "tools/filelist_lines.hpp"

using namespace mark6;
using test::contains;
using test::Outcome;

namespace {

/// From 08:35:03.25 to `stop_s` seconds after 08:35:03 and `stop_ns`.
vdif::Content content(std::int64_t stop_s, std::uint32_t stop_ns) {
  vdif::Content result;
  result.start = vdif::Time{test::kStartUnix, 250'000'000};
  result.stop = vdif::Time{test::kStartUnix + stop_s, stop_ns};
  return result;
}

Outcome filelist(const test::TempDir& dir, std::vector<std::string> args = {}) {
  args.insert(args.begin(), {"filelist", "--root", dir / "*/*"});
  return test::run_program(args);
}

}  // namespace

// MJD by astropy 5.2.1: Time('2015-03-21T08:35:03').mjd is 57102.35767361, and 240 s later
// 57102.36045139.
TEST_CASE("filelist: a line of each format", "[unit][pure]") {
  const auto line = [](FilelistFormat format) {
    return filelist_line(format, "/mnt/a.vdif", 3'072'000'000, content(239, 999'960'000)).value();
  };
  CHECK(line(FilelistFormat::kVsum) == "/mnt/a.vdif 57102.35767361 57102.36045139");
  CHECK(line(FilelistFormat::kMk6dir) == "/mnt/a.vdif 57102.35767361 57102.36045139 3072000000");
  CHECK(line(FilelistFormat::kVdifuse) == "/mnt/a.vdif 2015y080d08h35m03s 2015y080d08h39m03s");
  CHECK(line(FilelistFormat::kPlain) == "/mnt/a.vdif");
}

TEST_CASE("filelist: a scan that ends with a second has no second more", "[unit][pure]") {
  CHECK(filelist_line(FilelistFormat::kVdifuse, "a", 1, content(240, 0)).value() ==
        "a 2015y080d08h35m03s 2015y080d08h39m03s");
}

TEST_CASE("filelist: without times only the plain format has a line", "[unit][pure]") {
  CHECK(!filelist_line(FilelistFormat::kVsum, "a", 1, {}));
  CHECK(filelist_line(FilelistFormat::kPlain, "a", 1, {}).value() == "a");
}

TEST_CASE("filelist: scans are listed with the prefix, and what has no line is told", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 1}));
  dir.write("1/0/data/b c.vdif", test::fragment({0, 1}));
  std::string fill;
  for (int i = 0; i < 4; ++i) fill += test::fill_packet();
  dir.write("1/0/data/fill.vdif", test::file_header() + test::block(0, fill));
  const Outcome outcome = filelist(dir, {"--prefix", "/mnt/m/"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(outcome.out ==
        "/mnt/m/a.vdif 57102.35767361 57102.35768519\n"
        "/mnt/m/b c.vdif 57102.35767361 57102.35768519\n");
  CHECK(contains(outcome.err, "fill.vdif: left out: no valid frame tells a time"));
  CHECK(contains(outcome.err, "b c.vdif: has a space"));
  CHECK(filelist(dir, {"--format", "plain", "a", "fill"}).out == "a.vdif\nfill.vdif\n");
}

TEST_CASE("filelist: an unknown format is refused", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 1}));
  const Outcome outcome = filelist(dir, {"--format", "mk5"});
  CHECK(outcome.code == ExitCode::kUsage);
  CHECK(contains(outcome.err, "give vsum, mk6dir, vdifuse or plain"));
}
