// SPDX-License-Identifier: MIT
// A snapshot with everything in it: a slow disk about which all is known, one about which nothing
// is, a stream.
#pragma once

#include "common/report/stats.hpp"

namespace mark6::test {

inline DeviceFigures example_figures() {
  DeviceFigures figures;
  figures.requests = 1000;
  figures.bytes = 1'000'000'000;
  figures.cached_bytes = 4096;
  figures.errors = 1;
  figures.retries = 2;
  figures.busy_s = 8.5;
  figures.queue_s = 16.25;
  figures.queue_wait_s = 0.75;
  figures.stall_s = 2.5;
  figures.latency = {0.008, 0.032, 0.5, 12.5, {{0.008388608, 900}, {0.536870912, 100}}};
  return figures;
}

inline DeviceStats example_slow_disk() {
  DeviceStats device;
  device.module = "2";
  device.disk = "5";
  device.identity.kernel_name = "sdr";
  device.identity.partition = "sdr1";
  device.identity.number = DeviceNumber{65, 16};
  device.identity.file_system = "xfs";
  device.identity.facts.serial = "W4J0ABCD";
  device.identity.facts.model = "ST4000DM000";
  device.identity.facts.size_bytes = 4'000'787'030'016;
  device.identity.facts.rotational = true;
  device.total = example_figures();
  device.recent = example_figures();
  device.recent.requests = 100;
  device.in_flight = 2;
  device.verdict = {.judgement = Judgement::kSlow,
                    .confidence = 0.97,
                    .reason = "a read takes 66 ms, on the other 15 disks 33 ms (2.0 x)",
                    .times_slower = 2,
                    .slow_while_recording = true,
                    .recording = "was slow while recording: 60 blocks, the others 118 each"};
  device.verdict_is_recent = true;
  device.blocks = 60;
  device.block_share = 0.0325;
  return device;
}

inline StatsSnapshot example_stats() {
  StatsSnapshot stats;
  stats.program = "mark6gather";
  stats.target = "exp1_xx_no0001.vdif";
  stats.pid = 4711;
  stats.time_s = 1'700'000'000.25;
  stats.uptime_s = 30.5;
  stats.span_s = 10;
  stats.span_is_all = false;
  stats.devices.push_back(example_slow_disk());
  DeviceStats unknown;
  unknown.module = "1";
  unknown.disk = "0";
  unknown.verdict.reason = "no data yet";
  stats.devices.push_back(unknown);
  StreamStats stream;
  stream.scan = "exp1_xx_no0001.vdif";
  stream.bytes = 4'000'000'000;
  stream.total_bytes = 8'000'000'000;
  stream.elapsed_s = 4.25;
  stream.stall_s = {{"2/5", 2.5}, {"1/0", 0.5}};
  stream.sink_s = 1;
  stream.work_s = 0.25;
  stream.limit = "disk";
  stream.limit_share = 0.59;
  stream.limit_reason = "limited by disk 2/5: waiting for it 59 %";
  stats.streams.push_back(stream);
  stream.limit = "unknown";
  stream.limit_share = 0;
  stream.limit_reason.clear();
  stats.ended.push_back(stream);
  return stats;
}

}  // namespace mark6::test
