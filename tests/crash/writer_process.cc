#include "crash/writer_process.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "crash/dying_engine.h"
#include "crash/workload.h"

namespace mayfly::crash {
namespace {

using engine::Batch;

constexpr std::string_view kWriterFlag = "--crash-writer";

std::vector<std::string> ToArguments(const WriterPlan& plan) {
  std::vector<std::string> arguments{std::string(kWriterFlag),
                                     plan.directory,
                                     std::to_string(plan.seed),
                                     std::to_string(plan.die_at_operation),
                                     std::to_string(static_cast<int>(plan.fault)),
                                     std::to_string(static_cast<int>(plan.engine))};
  for (const std::uint64_t number : plan.first) arguments.push_back(std::to_string(number));
  return arguments;
}

WriterPlan FromArguments(int argc, char** argv) {
  constexpr int kFixed = 7;
  MAYFLY_CHECK(argc == kFixed + kWriters, "the writer's command line is the test's own");
  WriterPlan plan{.engine = static_cast<StorageEngine>(std::atoi(argv[6])),
                  .directory = argv[2],
                  .seed = std::strtoull(argv[3], nullptr, 10),
                  .first = {},
                  .die_at_operation = std::strtoull(argv[4], nullptr, 10),
                  .fault = static_cast<Fault>(std::atoi(argv[5]))};
  for (int i = kFixed; i < argc; ++i) plan.first.push_back(std::strtoull(argv[i], nullptr, 10));
  return plan;
}

void Acknowledge(int writer, std::uint64_t number) {
  ChildProcess::Write(
      Acknowledgement{.writer = static_cast<std::uint64_t>(writer), .number = number});
}

void MustCommit(engine::Engine& engine, const Batch& batch, Durability durability) {
  const Status committed = engine.Commit(batch, durability);
  if (committed.ok()) return;
  fmt::print(stderr, "the writer's commit failed: {}\n", committed.ToString());
  std::_Exit(2);
}

void CommitInTwoParts(engine::Engine& engine, const Batch& batch, Durability durability) {
  Batch part;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    switch (change.kind) {
      case Batch::Kind::kPut: part.Put(change.at, change.key, change.value); break;
      case Batch::Kind::kDelete: part.Delete(change.at, change.key); break;
      case Batch::Kind::kDeleteRange: part.DeleteRange(change.at, change.key, change.value); break;
    }
    if (i == batch.change_count() / 2) {
      MustCommit(engine, part, durability);
      part.Clear();
    }
  }
  MustCommit(engine, part, durability);
}

[[noreturn]] void WriteForever(engine::Engine& engine, const WriterPlan& plan, int writer) {
  const Workload workload{.seed = plan.seed, .writer = writer};
  for (std::uint64_t number = plan.first[static_cast<std::size_t>(writer)];; ++number) {
    const Batch batch = workload.BatchOf(number);
    const Durability durability = workload.DurabilityOf(number);
    if (plan.fault == Fault::kAcknowledgesTooEarly) Acknowledge(writer, number);
    if (plan.fault == Fault::kSplitsBatches) {
      CommitInTwoParts(engine, batch, durability);
    } else {
      MustCommit(engine, batch, durability);
    }
    if (plan.fault != Fault::kAcknowledgesTooEarly) Acknowledge(writer, number);
    constexpr std::uint64_t kCompactEvery = 300;
    if (number % kCompactEvery == 0) {
      const auto role = static_cast<engine::Role>(number / kCompactEvery % engine::kRoleCount);
      if (!engine.Compact(role).ok()) std::_Exit(3);
    }
  }
}

}  // namespace

WriterProcess::WriterProcess(const WriterPlan& plan) : process_(ToArguments(plan)) {}

std::optional<int> RunAsWriter(int argc, char** argv) {
  if (argc < 2 || argv[1] != kWriterFlag) return std::nullopt;
  const WriterPlan plan = FromArguments(argc, argv);
  engine::FaultyDisk disk;
  auto opened = OpenDyingEngine({.engine = plan.engine,
                                 .directory = plan.directory,
                                 .die_at_operation = plan.die_at_operation},
                                disk);
  if (!opened) {
    fmt::print(stderr, "the writer cannot open: {}\n", opened.error().ToString());
    return 4;
  }
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] { WriteForever(**opened, plan, writer); });
  }
  threads.clear();  // Joins; no thread returns.
  return 5;
}

}  // namespace mayfly::crash
