// log_play.h - a random play on a log, and the check of what is left of it.
// Beside the log the play keeps what was accepted, synced and folded, as an engine would.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "crypto/database_key.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/testing/faulty_log_disk.h"
#include "engine/hot/log/testing/log_fixture.h"

namespace mayfly::engine::hot {

class LogPlay {
 public:
  LogPlay(FaultyLogDisk& disk, LogMode mode, std::shared_ptr<const crypto::DatabaseKey> key,
          std::uint64_t seed)
      : disk_(disk), mode_(mode), key_(std::move(key)), random_(seed) {}
  ~LogPlay();

  // Opens the log, and checks what it replays: a prefix of what was accepted, nothing missing up to
  // the last sync, and after a mere kill nothing at all. Returns the error of the open.
  Status Open();

  // Makes up to `steps` random calls; ends at the first error if `until_error`.
  void Run(int steps, bool until_error);

  // The process dies. With `power_cut`, unsynced bytes are lost.
  void Die(bool power_cut);

  std::uint64_t accepted() const { return accepted_.size(); }

 private:
  // Each returns false when the log refused.
  bool Step();
  bool AppendOne();
  bool AppendGroup();
  bool SyncSome();
  bool Fold();
  bool Reopen();

  std::string Payload();
  bool Append(const std::vector<std::string>& payloads);
  bool ExpectAbsentOrNoted(const Status& refused, const std::vector<std::string>& payloads);
  using Replayed = std::vector<std::pair<std::uint64_t, std::string>>;
  void Check(const Replayed& replayed);
  std::vector<std::string> BestMatch(const Replayed& replayed) const;
  void NoteUnknown(std::vector<std::string> payloads);

  FaultyLogDisk& disk_;
  const LogMode mode_;
  const std::shared_ptr<const crypto::DatabaseKey> key_;
  Random random_;
  std::unique_ptr<HotLog> log_;
  std::vector<std::unique_ptr<HotLog>> killed_;

  std::vector<std::string> accepted_;  // The payload of sequence i + 1.
  // Appends whose outcome is unknown: any first part of one may follow `after` accepted records. If
  // others were accepted since, only a power cut, which loses those, can bring it back.
  struct Unknown {
    std::uint64_t after = 0;
    std::vector<std::string> payloads;
  };
  std::vector<Unknown> unknown_;
  std::uint64_t durable_ = 0;  // Promised, as sequence.
  std::uint64_t folded_ = 0;   // In the cold store, as sequence.
  bool lost_power_ = false;    // Since the last open.
};

}  // namespace mayfly::engine::hot
