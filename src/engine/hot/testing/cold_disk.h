// cold_disk.h - a cold store for tests: it survives processes, fails as asked, and loses what was
// not synced at a power cut.
// Each commit and sync counts as a change of the log's disk (FaultyLogDisk::Tick()), so that one
// number names every place where a play can be cut or fail.
// Not safe for several threads, except for reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/hot/log/testing/faulty_log_disk.h"

namespace mayfly::engine::hot {

class ColdDisk {
 public:
  explicit ColdDisk(FaultyLogDisk& disk) : disk_(disk) {}

  // An engine with all that is on the disk.
  std::unique_ptr<Engine> Open();

  // As those of FaultyLogDisk, with the same numbers.
  void FailAt(std::uint64_t change, std::uint64_t count = 1);
  void CutPowerAt(std::uint64_t change) { cut_at_ = change; }

  // Leaves what a power cut may have left: a first part, with all that was synced. Engines that are
  // open reach the disk no more.
  void PowerCut(Random& random);

  // The process dies: nothing is lost.
  void Restart();

  // Every commit from now on fails.
  void Refuse(bool refuse) { refuses_ = refuse; }

  // Called before each commit, by the thread that makes it.
  void OnCommit(std::function<void(const Batch&)> call) { on_commit_ = std::move(call); }

  std::uint64_t generation() const { return generation_; }  // Of processes.
  std::uint64_t puts() const { return puts_; }              // So far, in all commits.
  std::uint64_t deletes() const { return deletes_; }        // The same, of single keys.
  std::uint64_t gets() const { return gets_; }

 private:
  friend class ColdEngine;

  // False: the change fails.
  bool Arrives();
  Status Commit(const Batch& batch, std::uint64_t generation);
  Status Sync(std::uint64_t generation);

  FaultyLogDisk& disk_;
  std::vector<Batch> batches_;
  std::size_t synced_ = 0;
  std::uint64_t generation_ = 0;
  std::uint64_t fail_begin_ = FaultyLogDisk::kNever;
  std::uint64_t fail_end_ = FaultyLogDisk::kNever;
  std::uint64_t cut_at_ = FaultyLogDisk::kNever;
  bool refuses_ = false;
  std::function<void(const Batch&)> on_commit_;
  std::uint64_t puts_ = 0;
  std::uint64_t deletes_ = 0;
  std::atomic<std::uint64_t> gets_{0};
};

// The log's files on `disk`, for the present process: once it has died, by PowerCut() or Restart() of
// `cold`, nothing is made or removed any more.
std::unique_ptr<LogFiles> FilesOf(FaultyLogDisk& disk, const ColdDisk& cold);

}  // namespace mayfly::engine::hot
