// SPDX-License-Identifier: MIT
#include "common/catalog/catalog.hpp"

#include <sys/stat.h>

#include "common/catalog/natural_order.hpp"
#include "tests/unit/catalog_fixture.hpp"

using namespace mark6;
namespace fs = std::filesystem;

namespace {

Catalog found(const std::vector<std::string>& globs) {
  auto catalog = discover(CatalogSources{globs, {}});
  if (!catalog) FAIL(describe(catalog.error()));
  return std::move(*catalog);
}

std::vector<std::string> labels(const Catalog& catalog) {
  std::vector<std::string> result;
  for (const Disk& disk : catalog.disks) result.push_back(disk.label());
  return result;
}

std::vector<std::string> names(const std::vector<const Scan*>& scans) {
  std::vector<std::string> result;
  for (const Scan* scan : scans) result.push_back(scan->name);
  return result;
}

std::vector<std::string> names(const Catalog& catalog) {
  std::vector<std::string> result;
  for (const Scan& scan : catalog.scans) result.push_back(scan.name);
  return result;
}

/// Disks of the fragments of a scan, as labels.
std::vector<std::string> homes(const Catalog& catalog, const std::string& scan) {
  std::vector<std::string> result;
  for (const FragmentPath& fragment : catalog.find(scan)->fragments) {
    result.push_back(catalog.disks[fragment.disk.value].label());
  }
  return result;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("natural order: numbers in names compare as numbers", "[unit]") {
  CHECK(natural_less("2", "10"));
  CHECK_FALSE(natural_less("10", "2"));
  CHECK(natural_less("disk9b", "disk10a"));
  CHECK(natural_less("1", "01"));
  CHECK_FALSE(natural_less("a", "a"));
  CHECK(natural_less("a", "a1"));
  CHECK(natural_less("99999999999999999999998", "99999999999999999999999"));
}

TEST_CASE("catalog: disks come in natural order, fragments in the order of disks", "[unit]") {
  const test::TempDir dir;
  for (const char* disk : {"1/10", "1/2", "10/0", "2/0"}) {
    dir.write(std::string(disk) + "/data/a.vdif", "x");
  }
  const Catalog catalog = found({dir / "*/*"});
  CHECK(labels(catalog) == Strings{"1/2", "1/10", "2/0", "10/0"});
  CHECK(homes(catalog, "a.vdif") == Strings{"1/2", "1/10", "2/0", "10/0"});
  CHECK(catalog.find("a.vdif")->fragments[0].path == dir / "1/2/data/a.vdif");
  CHECK(catalog.find("a.vdif")->fragments[0].size_bytes == 1);
  CHECK(catalog.find("a") == nullptr);
}

TEST_CASE("catalog: a disk is named by its directory, its data directory, or both", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", "x");
  dir.write("1/1/data/a.vdif", "x");
  for (const Strings& globs :
       {Strings{dir / "1/*"}, Strings{dir / "1/*/data"}, Strings{dir / "1/*/"},
        Strings{dir / "1/*", dir / "*/*/data"}, Strings{dir / "1/{0,1}"}, Strings{dir / "1"},
        Strings{dir.path()}, Strings{dir / "1/0", dir / "1/0/data", dir / "1/1/../1"}}) {
    CAPTURE(globs);
    const Catalog catalog = found(globs);
    CHECK(labels(catalog) == Strings{"1/0", "1/1"});
    CHECK(catalog.find("a.vdif")->fragments.size() == 2);
    CHECK(catalog.problems.empty());
  }
}

TEST_CASE("catalog: the 2014 layout has no data directory", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/a.vdif", "x");
  dir.mkdir("1/0/cull");
  const Catalog catalog = found({dir / "*/*"});
  CHECK(labels(catalog) == Strings{"1/0"});
  CHECK(names(catalog) == Strings{"a.vdif"});
}

TEST_CASE("catalog: only files are scans, and not those that are kept aside", "[unit]") {
  const test::TempDir dir;
  for (const char* name :
       {"a.vdif", ".hidden", "cull", "data-die1", "lost+found", "b\n\xff.vdif"}) {
    dir.write(std::string("1/0/data/") + name, "x");
  }
  dir.mkdir("1/0/data/directory");
  REQUIRE(::mkfifo((dir / "1/0/data/fifo").c_str(), 0600) == 0);
  CHECK(names(found({dir / "*/*"})) == Strings{"a.vdif", "b\n\xff.vdif"});
}

TEST_CASE("catalog: symbolic links are followed and said to be links", "[unit]") {
  const test::TempDir dir;
  const std::string target = dir.write("elsewhere/fragment", "1234");
  dir.mkdir("copy/0/data");
  fs::create_symlink(target, dir / "copy/0/data/a.vdif");
  fs::create_symlink(dir / "nowhere", dir / "copy/0/data/broken.vdif");
  const Catalog catalog = found({dir / "copy/*"});
  REQUIRE(names(catalog) == Strings{"a.vdif"});
  const FragmentPath& fragment = catalog.scans[0].fragments[0];
  CHECK(fragment.is_symlink);
  CHECK(fragment.size_bytes == 4);
  REQUIRE(catalog.problems.size() == 1);
  CHECK(catalog.problems[0].find("broken.vdif") != std::string::npos);
}

TEST_CASE("catalog: names that differ in case only are different scans", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", "x");
  dir.write("1/0/data/A.vdif", "x");
  CHECK(names(found({dir / "*/*"})) == Strings{"A.vdif", "a.vdif"});
}

TEST_CASE("catalog: a source with glob characters in its name is taken literally", "[unit]") {
  const test::TempDir dir;
  dir.write("copy[1]/1/0/data/a.vdif", "x");
  dir.write("copy1/1/0/data/b.vdif", "x");
  CHECK(names(found({dir / "copy[1]/1/0"})) == Strings{"a.vdif"});
}

TEST_CASE("catalog: the same label below two roots means two disks", "[unit]") {
  const test::TempDir dir;
  dir.write("one/1/0/data/a.vdif", "x");
  dir.write("two/1/0/data/a.vdif", "x");
  const Catalog catalog = found({dir / "*/1/0"});
  CHECK(labels(catalog) == Strings{"1/0", "1/0"});
  CHECK(catalog.scans[0].fragments.size() == 2);
}

TEST_CASE("catalog: no directory at all is an error that says what to do", "[unit]") {
  const test::TempDir dir;
  const auto catalog = discover(CatalogSources{{dir / "nothing/*"}, {}});
  REQUIRE_FALSE(catalog);
  CHECK(catalog.error().code == ErrorCode::kNotFound);
  CHECK(describe(catalog.error()).find("MARK6_ROOT") != std::string::npos);
}

TEST_CASE("catalog: one source that names nothing is told, the others work", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", "x");
  const Catalog catalog = found({dir / "1/0", dir / "2/*"});
  CHECK(names(catalog) == Strings{"a.vdif"});
  REQUIRE(catalog.problems.size() == 1);
  CHECK(catalog.problems[0].find("2/*") != std::string::npos);
}

TEST_CASE("catalog: metadata lie beside the modules or below the metadata root", "[unit]") {
  const test::TempDir dir;
  dir.write("disks/1/0/data/a.vdif", "x");
  dir.write("disks/.meta/1/0/eMSN", "LBO%0001/32000/4/8");
  dir.write("meta/1/0/eMSN", "LBO%0002/32000/4/8");
  const Catalog beside = found({dir / "disks/*/*"});
  CHECK(read_metadata(beside)[0].serial.value().msn == "LBO%0001");
  const auto below = discover(CatalogSources{{dir / "disks/*/*"}, dir / "meta"});
  CHECK(read_metadata(below.value())[0].serial.value().msn == "LBO%0002");
  const auto neither = discover(CatalogSources{{dir / "disks/*/*"}, dir / "x"});
  CHECK_FALSE(read_metadata(neither.value())[0].serial);
}

TEST_CASE("catalog: sources come from the user, else MARK6_ROOT, else the usual place", "[unit]") {
  Environment environment;
  CHECK(CatalogSources::from({}, environment).disk_globs == Strings{"/mnt/disks/*/*"});
  environment.variable = [](const std::string& name) -> std::optional<std::string> {
    return name == "MARK6_ROOT" ? "/r/*" : "/m";
  };
  CHECK(CatalogSources::from({}, environment).disk_globs == Strings{"/r/*"});
  CHECK(CatalogSources::from({}, environment).meta_root == "/m");
  CHECK(CatalogSources::from({"/u"}, environment).disk_globs == Strings{"/u"});
}

TEST_CASE("catalog: a list of files is taken in any order, each file once", "[unit]") {
  const test::TempDir dir;
  const std::string second = dir.write("1/10/data/a.vdif", "x");
  const std::string first = dir.write("1/2/data/a.vdif", "x");
  const std::string other = dir.write("plain/b.vdif", "x");
  const auto catalog =
      catalog_of_files({second, other, first, second, dir / "1/2/../2/data/a.vdif"});
  REQUIRE(catalog);
  CHECK(labels(*catalog) ==
        Strings{"1/2", "1/10", fs::path(dir.path()).filename().string() + "/plain"});
  CHECK(homes(*catalog, "a.vdif") == Strings{"1/2", "1/10"});
  CHECK(catalog->find("b.vdif")->fragments.size() == 1);
}

TEST_CASE("catalog: in a list of files a missing one or a directory is an error", "[unit]") {
  const test::TempDir dir;
  const std::string file = dir.write("1/0/data/a.vdif", "x");
  CHECK(catalog_of_files({file, dir / "no"}).error().code == ErrorCode::kNotFound);
  CHECK(catalog_of_files({dir / "1"}).error().code == ErrorCode::kBadFormat);
}

TEST_CASE("catalog: a word means the scan of that name before it means a pattern", "[unit]") {
  Catalog catalog;
  for (const char* name :
       {"a*.vdif", "a1", "a1.vdif", "a2.vdif", "b.vdif", "n[1].vdif", "n1.vdif"}) {
    catalog.scans.push_back(Scan{name, {}});
  }
  CHECK(names(match_scans(catalog, "a*.vdif")) == Strings{"a*.vdif"});
  CHECK(names(match_scans(catalog, "a*")) == Strings{"a*.vdif"});
  CHECK(names(match_scans(catalog, "a1")) == Strings{"a1"});
  CHECK(names(match_scans(catalog, "a1.vdif")) == Strings{"a1.vdif"});
  CHECK(names(match_scans(catalog, "b")) == Strings{"b.vdif"});
  CHECK(names(match_scans(catalog, "n[1]")) == Strings{"n[1].vdif"});
  CHECK(names(match_scans(catalog, "[an]?")) ==
        Strings{"a*.vdif", "a1", "a1.vdif", "a2.vdif", "n1.vdif"});
  CHECK(match_scans(catalog, "c").empty());
  CHECK(match_scans(catalog, "").empty());
  CHECK(match_scans(catalog, "[").empty());
}
