// timestamped.h - a test of keyspaces ordered by timestamp, on every engine, on a clock that stands
// still.
#pragma once

#include <memory>
#include <string>

#include "core/each_engine.h"

namespace mayfly {

// An instant, given by its distance from the one at which every test begins.
constexpr WallTime At(std::int64_t ms) { return kStart + Millis(ms); }

constexpr Lifetime For(std::int64_t ms) { return Lifetime::For(Millis(ms)); }

inline std::string ValueOf(const Result<Row>& row) {
  if (row) return row->value;
  return row.error().IsNotFound() ? "(gone)" : row.error().ToString();
}
inline std::string ValueOf(const Result<std::string>& value) {
  if (value) return *value;
  return value.error().IsNotFound() ? "(gone)" : value.error().ToString();
}

class Timestamped : public EachEngine {
 protected:
  explicit Timestamped(const DatabaseOptions& options = {}) : EachEngine(options) {}

  // A fresh keyspace with this policy, ordered by timestamp.
  void Make(KeyspacePolicy policy = {}) {
    policy.order = RowOrder::kTimestamp;
    if (stamped_ != nullptr) {
      ASSERT_EQ(CodeOf(database().DropKeyspace("stamped")), kOk);
    }
    auto made = database().CreateKeyspace("stamped", policy);
    ASSERT_TRUE(made.has_value()) << made.status().ToString();
    stamped_ = *std::move(made);
  }

  Keyspace& stamped() { return *stamped_; }

  void Reopen() {
    stamped_.reset();
    home_.Reopen();
    auto opened = database().OpenKeyspace("stamped");
    ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
    stamped_ = *std::move(opened);
  }

  void GoTo(std::int64_t ms) { clock().Advance(At(ms) - clock().Now()); }

  // Writes that must succeed; true if they are the newest of their key.
  bool PutAt(Bytes key, Bytes value, std::int64_t ms, Lifetime lifetime = Lifetime::Default()) {
    const auto last = stamped().PutAt(key, value, At(ms), lifetime);
    EXPECT_TRUE(last.has_value()) << last.status().ToString();
    return last.value_or(false);
  }
  bool DeleteAt(Bytes key, std::int64_t ms) {
    const auto last = stamped().DeleteAt(key, At(ms));
    EXPECT_TRUE(last.has_value()) << last.status().ToString();
    return last.value_or(false);
  }

  std::string Get(Bytes key) { return ValueOf(stamped().Get(key)); }
  std::string AsOf(Bytes key, std::int64_t ms) { return ValueOf(stamped().GetAsOf(key, At(ms))); }

  // The number of stored versions and markers, in all keyspaces.
  std::uint64_t Versions() {
    const auto report = database().Check();
    EXPECT_TRUE(report && report->clean());
    return report ? report->versions : 0;
  }

  std::uint64_t Purge() {
    const auto report = database().Purge();
    EXPECT_TRUE(report && !report->more_due && report->stale_entries == 0);
    return report ? report->rows : 0;
  }

  std::shared_ptr<Keyspace> stamped_;
};

}  // namespace mayfly
