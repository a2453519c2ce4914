// SPDX-License-Identifier: MIT
#include "common/catalog/metadata.hpp"

#include "tests/unit/catalog_fixture.hpp"

using namespace mark6;

TEST_CASE("metadata: an eMSN tells serial number, capacity, rate and number of disks",
          "[unit][pure]") {
  const auto serial = parse_emsn("LBO%0001/32000/4/8");
  REQUIRE(serial);
  CHECK(*serial == ModuleSerial{"LBO%0001", 32000, 4, 8});
  CHECK(parse_emsn(" KVN00500/32000/4/8\n").value().msn == "KVN00500");
}

TEST_CASE("metadata: what an eMSN leaves out is absent", "[unit][pure]") {
  const auto serial = parse_emsn("LBO%0001/unk//8");
  REQUIRE(serial);
  CHECK_FALSE(serial->capacity_gb);
  CHECK_FALSE(serial->rate_gbps);
  CHECK(serial->disks == 8U);
  CHECK(parse_emsn("LBO%0001").value().msn == "LBO%0001");
}

TEST_CASE("metadata: what is no eMSN is refused", "[unit][pure]") {
  for (const std::string& text :
       {std::string(), std::string("/32000/4/8"), std::string(20, '\0'), std::string("a b/1/2/3"),
        std::string("A/1/2/3/4/5"), std::string(5000, 'x'), std::string("\x1b[31m/1/2/3")}) {
    CAPTURE(text);
    CHECK_FALSE(parse_emsn(text));
  }
}

TEST_CASE("metadata: a group lists its modules, in any order and without a newline",
          "[unit][pure]") {
  const auto group = parse_group("2:KVN00500/32000/4/8:KVN00600/32000/4/8");
  REQUIRE(group);
  REQUIRE(group->size() == 2);
  CHECK((*group)[1].msn == "KVN00600");
  CHECK((*group)[1].disks == 8U);
  CHECK(parse_group("1:LBO%0001/32000/4/8\n").value().size() == 1);
  CHECK_FALSE(parse_group(""));
  CHECK_FALSE(parse_group("2"));
  CHECK_FALSE(parse_group("2:\xff\xfe:x"));
}

TEST_CASE("metadata: disk_sn maps a disk to its serial number", "[unit][pure]") {
  const auto serials = parse_disk_sn("0:WD-123\n1: WD-124\r\n\n10:Z4D0\n");
  REQUIRE(serials);
  CHECK(*serials ==
        std::map<std::uint32_t, std::string>{{0, "WD-123"}, {1, "WD-124"}, {10, "Z4D0"}});
  CHECK(parse_disk_sn("").value().empty());
  CHECK_FALSE(parse_disk_sn("no serial numbers"));
  CHECK_FALSE(parse_disk_sn("-1:x"));
}

TEST_CASE("slist: the Python dict of the recorder is read", "[unit][pure]") {
  const auto scans = parse_slist(
      "{1: {'status': 'recorded', 'num_str': 2, 'start_tm': 1426928400, 'create_time': "
      "'2015y080d08h35m03s', 'sn': 'frb21_Jc_080-0900', 'dur': 240, 'spc': 0, 'size': '246.720'}, "
      "2: {'sn': 'second', 'status': 'pending', 'size': 0, 'start_tm': 'unk', 'dur': 'unk'}}");
  REQUIRE(scans);
  REQUIRE(scans->size() == 2);
  const ScanRecord& first = scans->front();
  CHECK(first.name == "frb21_Jc_080-0900");
  CHECK(first.status == "recorded");
  CHECK(first.start_unix_s == 1426928400.0);
  CHECK(first.duration_s == 240.0);
  CHECK(first.size_gb == 246.72);
  CHECK(first.create_time == "2015y080d08h35m03s");
  const ScanRecord& second = scans->back();
  CHECK(second.status == "pending");
  CHECK_FALSE(second.start_unix_s);
  CHECK_FALSE(second.duration_s);
}

TEST_CASE("slist: the variants met in the field are read", "[unit][pure]") {
  const auto name_of = [](std::string_view text) {
    const auto scans = parse_slist(text);
    INFO(std::string(text) + (scans ? "" : ": " + describe(scans.error())));
    REQUIRE(scans);
    REQUIRE(scans->size() == 1);
    return scans->front().name;
  };
  CHECK(name_of("{1L: {u'sn': u'a_b_c', u'dur': 1L, u'x': None, u'y': True}}") == "a_b_c");
  CHECK(name_of(R"({"1": {"sn": "a.vdif", "dur": null, "ok": true, "l": [1, {"sn": "no"}]}})") ==
        "a");
  CHECK(name_of("{ 1 : {'create_time': 'Sat Mar 21 08:35:03 2015', 'sn': 'a',},}\n") == "a");
  CHECK(name_of("{1: {'sn': \"it's\", 'start_tm': 1.5e9}}") == "it's");
  CHECK(name_of("{1: {'sn': 'a\\'b\\x41\\u00e4'}}") == "a'bA\xc3\xa4");
  CHECK(name_of("{1: {'dur': 5}, 2: {'sn': 'a', 't': (1, 2)}}") == "a");
  CHECK(parse_slist("{1: {'sn': 'a', 'start_tm': 1426928400.25}}").value()[0].start_unix_s ==
        1426928400.25);
}

TEST_CASE("slist: an erased module has no scans", "[unit][pure]") {
  CHECK(parse_slist("{}").value().empty());
  CHECK(parse_slist(" \n").value().empty());
}

TEST_CASE("slist: hostile text is refused with the place, and does no harm", "[unit][pure]") {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (const std::string& text :
       {std::string(kMiB, '{'), std::string(kMiB, '['), std::string("{1: {'sn': 'endless"),
        std::string("{1: {'sn': 'a'}"), std::string("{1 {'sn': 'a'}}"), std::string(4096, '\0'),
        std::string("{1: {'sn': 'a'}} trailing"), std::string("{1: {'sn': 'a' 'dur': 1}}"),
        std::string("{1: {'sn': 'a\\"), std::string("nonsense"), std::string("{1:"),
        std::string("{1: }"), std::string("{'a': u"), std::string(17 * kMiB, ' ')}) {
    CAPTURE(text.substr(0, 30));
    const auto scans = parse_slist(text);
    REQUIRE_FALSE(scans);
    CHECK(scans.error().code == ErrorCode::kBadFormat);
    CHECK(scans.error().found.find("byte") != std::string::npos);
  }
}

TEST_CASE("slist: numbers beyond all measure are absent", "[unit][pure]") {
  const auto scans = parse_slist("{1: {'sn': 'a', 'dur': " + std::string(1 << 20, '9') +
                                 ", 'start_tm': 1e999, 'size': '1e400', 'spc': --1}}");
  REQUIRE(scans);
  CHECK_FALSE(scans->front().duration_s);
  CHECK_FALSE(scans->front().start_unix_s);
  CHECK_FALSE(scans->front().size_gb);
}

TEST_CASE("slist: more scans than anybody records are refused", "[unit][pure]") {
  std::string text = "{";
  for (std::size_t i = 0; i <= kMaxScanRecords; ++i) text += "1:{'sn':'a'},";
  CHECK_FALSE(parse_slist(text + "}"));
}

TEST_CASE("metadata: missing files are absent, broken ones are absent and named", "[unit][pure]") {
  const test::TempDir dir;
  CHECK(read_disk_metadata(dir / "nothing").problems.empty());
  dir.write("0/eMSN", "LBO%0001/32000/4/8");
  dir.write("0/slist", "{1: {");
  dir.write("0/state", "recorded\n");
  dir.mkdir("0/group");
  const DiskMetadata metadata = read_disk_metadata(dir / "0");
  CHECK(metadata.serial.value().msn == "LBO%0001");
  CHECK(metadata.state == "recorded");
  CHECK(metadata.scans.empty());
  REQUIRE(metadata.problems.size() == 2);
  CHECK(metadata.problems[0].find("0/group") != std::string::npos);
  CHECK(metadata.problems[1].find("0/slist") != std::string::npos);
}
