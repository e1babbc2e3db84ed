// log_fixture.h - a log on a faulty disk, and what it replays.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "crypto/database_key.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/log_format.h"
#include "engine/hot/log/testing/faulty_log_disk.h"

namespace mayfly::engine::hot {

struct LogMode {
  bool mapped = false;
  bool encrypted = false;
};

inline std::string NameOf(const ::testing::TestParamInfo<LogMode>& info) {
  return std::string(info.param.mapped ? "Mapped" : "Written") +
         (info.param.encrypted ? "Encrypted" : "");
}

inline auto AllLogModes() {
  return ::testing::Values(LogMode{}, LogMode{.mapped = true}, LogMode{.encrypted = true},
                           LogMode{.mapped = true, .encrypted = true});
}

class LogTest : public ::testing::TestWithParam<LogMode> {
 protected:
  using Records = std::map<std::uint64_t, std::string>;

  static std::shared_ptr<const crypto::DatabaseKey> Key() {
    static const auto key = [] {
      auto made = crypto::DatabaseKey::Make("a password");
      EXPECT_TRUE(made.has_value());
      return *made;
    }();
    return key;
  }

  LogOptions Options() {
    return {.files = &disk_,
            .segment_bytes = kSegmentBytesMin,
            .mapped = GetParam().mapped,
            .replay_from = replay_from_,
            .key = GetParam().encrypted ? Key() : nullptr};
  }

  // Opens the log; what it replays is in replayed_.
  Status TryOpen() {
    log_.reset();
    replayed_.clear();
    auto log = HotLog::Open(Options(), [this](const LogRecord& record) {
      EXPECT_TRUE(replayed_.empty() || replayed_.rbegin()->first < record.sequence);
      if (!record.payload.empty()) replayed_[record.sequence] = record.payload;
      return Status();
    });
    if (!log.has_value()) return log.error();
    log_ = *std::move(log);
    return {};
  }
  void Open() {
    const Status opened = TryOpen();
    ASSERT_TRUE(opened.ok()) << opened.ToString();
  }

  ~LogTest() override {
    disk_.CutPowerAt(0);
    killed_.clear();
  }

  // The process dies: nothing is closed, and the disk is as it is.
  void Kill() {
    disk_.Restart();
    if (log_ != nullptr) killed_.push_back(std::move(log_));
  }

  void PowerCut(Random& random) {
    disk_.PowerCut(random);
    if (log_ != nullptr) killed_.push_back(std::move(log_));
  }

  std::uint64_t Append(const std::string& payload) {
    auto appended = log_->Append(payload);
    EXPECT_TRUE(appended.has_value()) << appended.error().ToString();
    if (!appended.has_value()) return 0;
    appended_[*appended] = payload;
    return *appended;
  }

  void FillSegments(std::size_t count) {
    const std::size_t until = log_->Segments().size() + count;
    while (log_->Segments().size() < until) Append(std::string(1000, 'f'));
  }

  // Where the records of a segment lie.
  std::vector<std::uint64_t> OffsetsIn(std::uint64_t number) {
    const std::string& bytes = disk_.BytesOf(SegmentName(number));
    std::vector<std::uint64_t> offsets;
    StoredRecord record;
    for (std::uint64_t at = kSegmentHeaderBytes;
         at + 4 <= bytes.size() && bytes.compare(at, 4, std::string(4, '\0')) != 0 &&
         PeekRecord(Bytes(bytes).substr(at), record);
         at += RecordBytes(record.header.bytes)) {
      offsets.push_back(at);
    }
    return offsets;
  }

  void Flip(std::uint64_t number, std::uint64_t offset) {
    char& byte = disk_.BytesOf(SegmentName(number))[offset];
    byte = static_cast<char>(byte ^ 0x10);
  }

  FaultyLogDisk disk_;
  std::uint64_t replay_from_ = 1;
  std::unique_ptr<HotLog> log_;
  std::vector<std::unique_ptr<HotLog>> killed_;  // Of processes that died.
  Records appended_;
  Records replayed_;
};

}  // namespace mayfly::engine::hot
