// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "common/base/clock.hpp"
#include "gather/pipeline.hpp"
#include "gather/report.hpp"
#include "tests/support/fault_backend.hpp"
#include "tests/unit/gather_fixture.hpp"

using namespace mark6;
using test::content_of;
using test::Recording;
using test::RecordingShape;
using test::TemporaryDirectory;

namespace {

struct Setup {
  explicit Setup(const RecordingShape& shape = {}) : recording(root, shape) {}
  /// Runs mark6gather on these modules.
  [[nodiscard]] test::Outcome run(std::vector<std::string> args, int stdout_fd = -1) const {
    return test::gather(args, {{"MARK6_ROOT", root.path().string() + "/*/*"}}, stdout_fd);
  }
  TemporaryDirectory root;
  Recording recording;
  TemporaryDirectory work;
};

/// Not CHECK(a == b): nobody wants to see megabytes of a difference.
bool same(const std::string& a, const std::string& b) { return a == b; }

}  // namespace

TEST_CASE("gather: many shapes come out as they were recorded", "[unit][gather]") {
  std::uint32_t seed = 1;
  for (const std::uint32_t packet_size : {1032U, 5032U, 8032U, 8224U, 10032U}) {
    for (const std::size_t disks : {1U, 3U, 8U}) {
      for (const std::uint32_t blocks : {1U, 2U, 33U}) {
        CAPTURE(packet_size, disks, blocks);
        RecordingShape shape;
        shape.modules = disks == 8 ? 6 : 1;
        shape.disks_per_module = disks;
        shape.packet_size = packet_size;
        shape.packets_per_block = 1 + seed * 7 % 12;
        shape.last_packets = 1 + seed % shape.packets_per_block;
        shape.blocks = blocks;
        shape.seed = ++seed;
        const Setup setup(shape);
        const auto piped = setup.run({shape.name, "-"});
        CHECK(piped.code == ExitCode::kDelivered);
        CHECK(same(piped.out, setup.recording.flat));
        const std::string out = setup.work.file("out");
        CHECK(setup.run({shape.name, "-q", out}).code == ExitCode::kDelivered);
        CHECK(same(content_of(out), setup.recording.flat));
      }
    }
  }
}

TEST_CASE("gather: blocks of megabytes pass through a pipe unharmed", "[unit][gather]") {
  RecordingShape shape;
  shape.packet_size = 8224;
  shape.packets_per_block = 500;
  shape.blocks = 9;
  const Setup setup(shape);
  for (const char* memory : {"1", "16M", "1G"}) {
    const auto outcome = setup.run({shape.name, "--memory", memory, "-v"});
    CHECK(outcome.code == ExitCode::kDelivered);
    CHECK(same(outcome.out, setup.recording.flat));
    CHECK(outcome.err.find("output by vmsplice") != std::string::npos);
  }
}

TEST_CASE("gather: the idiom of every observatory", "[unit][gather]") {
  const Setup setup;
  auto args = setup.recording.fragments;  // as the shell expands the pattern
  args.emplace_back("-");
  const auto expanded = setup.run(args);
  CHECK(expanded.code == ExitCode::kDelivered);
  CHECK(same(expanded.out, setup.recording.flat));
  const auto quoted = setup.run({setup.root.path().string() + "/[1234]/*/data/*.vdif", "-"});
  CHECK(quoted.code == ExitCode::kDelivered);
  CHECK(same(quoted.out, setup.recording.flat));
  CHECK(quoted.err.find("exp_Aa_no0001.vdif: " + std::to_string(setup.recording.flat.size()) +
                        " bytes (2.4") != std::string::npos);
  CHECK(quoted.err.find("time: disks") != std::string::npos);
}

TEST_CASE("gather: --skip and --bytes cut the flat scan", "[unit][gather]") {
  const Setup setup;
  const std::string& flat = setup.recording.flat;
  const auto size = std::to_string(flat.size());
  const auto part = setup.run({"exp_Aa_no0001", "--skip", "100001", "--bytes", "777777"});
  CHECK(part.code == ExitCode::kDelivered);
  CHECK(same(part.out, flat.substr(100'001, 777'777)));
  CHECK(same(setup.run({"exp_Aa_no0001", "--skip", "2M", "--bytes", "1G"}).out,
             flat.substr(2'000'000)));
  CHECK(setup.run({"exp_Aa_no0001", "--bytes", "0"}).out.empty());
  CHECK(setup.run({"exp_Aa_no0001", "--skip", size}).code == ExitCode::kDelivered);
  const auto beyond = setup.run({"exp_Aa_no0001", "--skip", std::to_string(flat.size() + 1)});
  CHECK(beyond.code == ExitCode::kUsage);
  CHECK(beyond.err.find(size + " bytes") != std::string::npos);
}

TEST_CASE("gather: --append resumes exactly where the output ends", "[unit][gather]") {
  const Setup setup;
  const std::string& flat = setup.recording.flat;
  for (const std::size_t there :
       {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, flat.size() - 1}) {
    CAPTURE(there);
    const std::string out = setup.work.write("out", flat.substr(0, there));
    CHECK(setup.run({"exp_Aa_no0001", "--append", "-o", out}).code == ExitCode::kDelivered);
    CHECK(same(content_of(out), flat));
  }
  const std::string out = setup.work.file("out");
  const auto again = setup.run({"exp_Aa_no0001", "--append", "-o", out});
  CHECK(again.code == ExitCode::kDelivered);
  CHECK(again.err.find("nothing to do") != std::string::npos);
  CHECK(same(content_of(out), flat));
  // Also within a range, and where there is nothing yet.
  const std::string part = setup.work.write("part", flat.substr(5000, 3000));
  CHECK(setup.run({"exp_Aa_no0001", "--skip", "5000", "--bytes", "9000", "--append", "-o", part})
            .code == ExitCode::kDelivered);
  CHECK(same(content_of(part), flat.substr(5000, 9000)));
  const std::string fresh = setup.work.file("fresh");
  CHECK(setup.run({"exp_Aa_no0001", "--append", fresh}).code == ExitCode::kDelivered);
  CHECK(same(content_of(fresh), flat));
}

TEST_CASE("gather: --append never joins what does not belong together", "[unit][gather]") {
  const Setup setup;
  const std::string& flat = setup.recording.flat;
  const std::string longer = setup.work.write("longer", flat + "x");
  CHECK(setup.run({"exp_Aa_no0001", "--append", "-o", longer}).code == ExitCode::kUsage);
  CHECK(same(content_of(longer), flat + "x"));
  std::string other = flat.substr(0, 100'000);
  other.back() = static_cast<char>(other.back() ^ 1);
  const std::string mixed = setup.work.write("mixed", other);
  const auto refused = setup.run({"exp_Aa_no0001", "--append", "-o", mixed});
  CHECK(refused.code == ExitCode::kUsage);
  CHECK(refused.err.find("are not those of") != std::string::npos);
  CHECK(same(content_of(mixed), other));
  CHECK(setup.run({"exp_Aa_no0001", "--append"}).code == ExitCode::kUsage);  // stdout
}

TEST_CASE("gather: inputs and existing files survive", "[unit][gather]") {
  const Setup setup;
  const std::string& input = setup.recording.fragments.front();
  const std::string before = content_of(input);
  for (const char* how : {"--force", "--append"}) {
    const auto outcome = setup.run({"exp_Aa_no0001", how, "-o", input});
    CHECK(outcome.code == ExitCode::kUsage);
    CHECK(outcome.err.find("input") != std::string::npos);
  }
  CHECK(same(content_of(input), before));

  const std::string old = setup.work.write("old", "old");
  CHECK(setup.run({"exp_Aa_no0001", "-o", old}).code == ExitCode::kUsage);
  CHECK(content_of(old) == "old");
  CHECK(setup.run({"exp_Aa_no0001", "--force", "-o", old}).code == ExitCode::kDelivered);
  CHECK(same(content_of(old), setup.recording.flat));
}

TEST_CASE("gather: holes are counted, told and in the exit code", "[unit][gather]") {
  RecordingShape shape;
  shape.missing = {3, 10, 11, 12, 30};
  const Setup setup(shape);
  const auto outcome = setup.run({"exp_Aa_no0001"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(same(outcome.out, setup.recording.flat));
  CHECK(outcome.err.find("holes: 5 of 40 blocks missing (12 %): 3, 10-12, 30\n") !=
        std::string::npos);
  // Told with -q as well; what lies outside the range is no loss of it.
  CHECK(setup.run({"exp_Aa_no0001", "-q"}).err.find("holes: 5 of 40") != std::string::npos);
  const auto part = setup.run({"exp_Aa_no0001", "-q", "--bytes", "100000"});
  CHECK(part.code == ExitCode::kDelivered);
  CHECK(part.err.empty());
}

TEST_CASE("gather: a cut fragment is delivered and named", "[unit][gather]") {
  const Setup setup;
  const std::string& cut = setup.recording.fragments[2];
  REQUIRE(::truncate(cut.c_str(), static_cast<off_t>(std::filesystem::file_size(cut) - 1500)) == 0);
  const auto outcome = setup.run({"exp_Aa_no0001"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(outcome.err.find("damage: 1/2 " + cut) != std::string::npos);
  // Whole packets are kept: two of them are lost.
  CHECK(outcome.out.size() == setup.recording.flat.size() - 2 * 1032);
}

TEST_CASE("gather: files without a block are an error, not an empty scan", "[unit][gather]") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("junk.vdif", std::string(5000, 'j'));
  const std::string out = directory.file("out");
  const auto outcome = test::gather({file, out});
  CHECK(outcome.code == ExitCode::kIo);
  CHECK_FALSE(outcome.err.empty());
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("gather: a reader that has had enough is no error", "[unit][gather]") {
  RecordingShape shape;
  shape.blocks = 200;
  const Setup setup(shape);
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  std::thread head([&] {
    std::string some(4096, '\0');
    CHECK(::read(read_end.get(), some.data(), some.size()) > 0);
    read_end.reset();
  });
  const auto outcome = setup.run({"exp_Aa_no0001"}, write_end.get());
  head.join();
  CHECK(outcome.code == ExitCode::kDelivered);
  CHECK(outcome.err.empty());
}

TEST_CASE("gather: a full output says so and how to go on", "[unit][gather]") {
  const Setup setup;
  const auto outcome = setup.run({"exp_Aa_no0001", "/dev/full"});
  CHECK(outcome.code == ExitCode::kIo);
  CHECK(outcome.err.find("/dev/full: no space is left") != std::string::npos);
  CHECK(outcome.err.find("0 of 2422104 bytes were delivered") != std::string::npos);
}

TEST_CASE("gather: a stop ends it with its own code", "[unit][gather]") {
  RecordingShape shape;
  shape.blocks = 200;
  const Setup setup(shape);
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd read_end(ends[0]);  // never read
  const UniqueFd write_end(ends[1]);
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  std::stop_source source;
  Environment environment;
  environment.stdout_fd = write_end.get();
  environment.stderr_fd = null.get();
  environment.stop = source.get_token();
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    source.request_stop();
  });
  const auto code = gather::run_gather(setup.recording.fragments, environment);
  stopper.join();
  CHECK(code == ExitCode::kInterrupted);
}

TEST_CASE("gather: a bad sector ends the stream and is named", "[unit][gather]") {
  const Setup setup;
  const auto catalog = catalog_of_files(setup.recording.fragments).value();
  const OpenedScanPtr scan = open_scan(catalog.scans.front(), catalog.disks.size());
  gather::PipelineOptions options;
  options.range = {ScanOffset(0), ScanOffset(scan->index.size_bytes())};
  options.backend = test::faulty([](const BackendRead& read, std::int64_t result) {
    return read.disk == DiskIndex(5) ? std::int64_t{-EIO} : result;
  });
  auto pipeline = gather::Pipeline::start(scan, catalog.disks.size(), options);
  REQUIRE(pipeline);
  gather::Output output;
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  output.kind = gather::OutputKind::kDevice;
  output.fd = null.get();
  const gather::StopEvent stop{std::stop_token{}};
  const auto sink = gather::make_sink(output, stop);
  const auto done = (*pipeline)->run(*sink, {});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kIo);
  CHECK(done.error().path == setup.recording.fragments[5]);
  CHECK(done.error().found.find("at byte") != std::string::npos);
}

TEST_CASE("gather: what cannot be read is left out and counted; nothing at all is an error",
          "[unit][gather][fault]") {
  const Setup setup;
  const auto catalog = catalog_of_files(setup.recording.fragments).value();
  const OpenedScanPtr scan = open_scan(catalog.scans.front(), catalog.disks.size());
  for (const bool all : {false, true}) {
    CAPTURE(all);
    gather::PipelineOptions options;
    options.range = {ScanOffset(0), ScanOffset(scan->index.size_bytes())};
    options.skip_errors = true;
    options.backend = test::faulty([all](const BackendRead& read, std::int64_t result) {
      return all || read.disk == DiskIndex(5) ? std::int64_t{-EIO} : result;
    });
    auto pipeline = gather::Pipeline::start(scan, catalog.disks.size(), options);
    REQUIRE(pipeline);
    gather::Output output;
    const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    output.kind = gather::OutputKind::kDevice;
    output.fd = null.get();
    const gather::StopEvent stop{std::stop_token{}};
    const auto sink = gather::make_sink(output, stop);
    const auto done = (*pipeline)->run(*sink, {});
    CHECK(done.has_value() == !all);
    const gather::Unread& unread = (*pipeline)->unread();
    CHECK(unread.places > 0);
    CHECK(sink->written_bytes() + unread.bytes == scan->index.size_bytes());
    gather::Losses losses;
    gather::add_unread(losses, unread, *scan, catalog);
    CHECK(losses.any());
    CHECK(gather::losses_text(losses, false).find("unreadable: ") != std::string::npos);
    CHECK(losses.unread.front().find("cannot read") != std::string::npos);
  }
}

TEST_CASE("gather: where the time went adds up to the elapsed time", "[unit][gather]") {
  const Setup setup;
  const auto catalog = catalog_of_files(setup.recording.fragments).value();
  const OpenedScanPtr scan = open_scan(catalog.scans.front(), catalog.disks.size());
  gather::PipelineOptions options;
  options.range = {ScanOffset(0), ScanOffset(scan->index.size_bytes())};
  auto pipeline = gather::Pipeline::start(scan, catalog.disks.size(), options);
  REQUIRE(pipeline);
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  gather::Output output;
  output.kind = gather::OutputKind::kDevice;
  output.fd = null.get();
  const gather::StopEvent stop{std::stop_token{}};
  const auto sink = gather::make_sink(output, stop);
  REQUIRE((*pipeline)->run(*sink, {}));
  CHECK(sink->written_bytes() == setup.recording.flat.size());
  const auto time = (*pipeline)->ledger().snapshot(monotonic_ns());
  std::int64_t sum = time.sink_ns + time.work_ns;
  for (const std::int64_t ns : time.disk_ns) sum += ns;
  CHECK(sum == time.elapsed_ns);
  CHECK(time.sink_ns > 0);
}

TEST_CASE("gather: help and version go to stdout, mistakes to stderr", "[unit][gather]") {
  const auto help = test::gather({"--help"});
  CHECK(help.code == ExitCode::kDelivered);
  CHECK(help.out.starts_with("Usage: mark6gather"));
  CHECK(test::gather({"--version"}).out == "mark6gather " MARK6_VERSION "\n");
  const auto mistake = test::gather({"--frobnicate"});
  CHECK(mistake.code == ExitCode::kUsage);
  CHECK(mistake.out.empty());
  CHECK(mistake.err.starts_with("mark6gather: "));
}

TEST_CASE("gather: -q says nothing, --progress=always says the state", "[unit][gather]") {
  const Setup setup;
  CHECK(setup.run({"exp_Aa_no0001", "-q"}).err.empty());
  const auto always = setup.run({"exp_Aa_no0001", "--progress=always"});
  CHECK(always.err.find("2.42 MB of 2.42 MB  100 %") != std::string::npos);
  CHECK(setup.run({"exp_Aa_no0001", "--progress=never"}).err.find("100 %  ") == std::string::npos);
}
