// keyspace_state.h - the state in memory that all handles of one keyspace share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/shared_value.h"
#include "core/keyspaces/key_latches.h"
#include "core/layout/keys.h"
#include "mayfly/policy.h"
#include "mayfly/status.h"

namespace mayfly::core {

// Numbers of rows, or changes of them. A keyspace has kCounters of them, and their sum is the number:
// a commit books all its changes on one, whose mutex it holds (CounterLocks), in its own batch. So the
// sum is exact after a crash, no single row is rewritten by every commit, and a counter by itself may
// be below zero. Why so: docs/decisions/0006-counters-by-stripe.md.
struct Counters {
  std::int64_t rows = 0;                 // Stored, dead ones included.
  std::int64_t mortal = 0;               // Of these, with a deadline.
  std::int64_t with_mortal_members = 0;  // Of all, collections with members that have a deadline.
  // Changes of the number of entries that lie at or before each of two instants; due_count.h.
  std::array<std::int64_t, 2> due = {};

  friend Counters operator+(const Counters& a, const Counters& b) {
    return {.rows = a.rows + b.rows,
            .mortal = a.mortal + b.mortal,
            .with_mortal_members = a.with_mortal_members + b.with_mortal_members,
            .due = {a.due[0] + b.due[0], a.due[1] + b.due[1]}};
  }
  friend bool operator==(const Counters&, const Counters&) = default;
};

std::string EncodeCounters(const Counters& counters);
Status DecodeCounters(Bytes encoded, Counters& counters);

// The result of counting the entries up to an instant: every state that holds this record has
// `base` + the sum of Counters::due[field] of them.
struct DueRecord {
  std::uint8_t field = 0;  // 0 or 1.
  WallTime through;
  std::int64_t base = 0;
};

std::string EncodeDueRecord(const DueRecord& record);
Status DecodeDueRecord(Bytes encoded, DueRecord& record);

// A pass of purges over an index, from the watermark on.
struct PurgePass {
  std::string reached;  // The last entry removed: those before it are gone, or were written since
                        // the pass began. Empty: no pass is under way.
  WallTime stable;      // When the pass began, every write of an instant up to this was done.
};

class KeyspaceState : public std::enable_shared_from_this<KeyspaceState> {
 public:
  KeyspaceState(KeyspaceId id, std::string name, const KeyspacePolicy& policy)
      : id_(id),
        name_(std::move(name)),
        by_timestamp_(policy.order == RowOrder::kTimestamp),
        promises_(policy.purge_within.has_value()),
        events_(policy.events),
        policy_(policy) {}

  KeyspaceId id() const { return id_; }
  const std::string& name() const { return name_; }

  // The present policy. Every write asks for it.
  KeyspacePolicy policy() const { return policy_.Load(); }
  void SetPolicy(const KeyspacePolicy& policy) {
    promises_.store(policy.purge_within.has_value(), std::memory_order_relaxed);
    events_.store(policy.events, std::memory_order_relaxed);
    policy_.Store(policy);
  }

  // Whether the policy has a promise; cheap enough to ask at each write.
  bool promises() const { return promises_.load(std::memory_order_relaxed); }

  // Which events the policy wants; as cheap.
  EventDetail events() const { return events_.load(std::memory_order_relaxed); }

  // Held shared by every write, and alone by changes of the keyspace as a whole, which go first:
  // eight busy writers kept a change of policy out for half a minute. So no thread may take it
  // twice. Lock order: ARCHITECTURE.md.
  using Gate = Latch;
  Gate& gate() { return gate_; }

  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  void MarkDropped() { dropped_.store(true, std::memory_order_release); }

  // One of the counters. With its mutex, with all latches, or with the gate held alone.
  const Counters& counters(Counter counter) const { return counters_[counter]; }
  void SetCounters(Counter counter, const Counters& counters);

  // Rows and mortal rows, summed over the counters. From any thread; a row counts from the end of
  // its commit on.
  Counters TotalCounters() const {
    return {.rows = total_rows_.load(), .mortal = total_mortal_.load()};
  }

  bool by_timestamp() const { return by_timestamp_; }

  // Whether dead rows and members stay until a caller removes them.
  bool purges_held() const { return purges_held_.load(std::memory_order_acquire); }
  void HoldPurges(bool held) { purges_held_.store(held, std::memory_order_release); }

  // The number of collections whose row is gone and whose members are not. Exact between commits.
  std::int64_t orphans() const { return orphans_.load(); }
  void AddOrphans(std::int64_t change) { orphans_ += change; }
  void ForgetOrphans() { orphans_ = 0; }

  // Whether a member of a collection has had a deadline since the index of members was last known
  // to be empty. A keyspace without such members pays nothing for them.
  bool has_mortal_members() const { return has_mortal_members_.load(); }
  void NoteMortalMember() {
    if (!has_mortal_members()) has_mortal_members_ = true;
  }

  // No entry lies before the watermark: purges begin there and not at old tombstones.
  WallTime watermark() const { return WallTimeFromMs(watermark_ms_.load()); }
  WallTime members_watermark() const { return WallTimeFromMs(members_watermark_ms_.load()); }
  void RaiseWatermark(WallTime to) { Raise(watermark_ms_, to); }
  void RaiseMembersWatermark(WallTime to) { Raise(members_watermark_ms_, to); }
  void LowerWatermarks(WallTime to);

  // The instant up to which each field of Counters::due counts entries; before all time: it does
  // not count.
  WallTime due_through(std::size_t field) const {
    return WallTimeFromMs(due_through_ms_[field].load(std::memory_order_relaxed));
  }
  void CountDueThrough(std::size_t field, WallTime through) {
    due_through_ms_[field] = ToMs(through);
  }

  // The stored count, if there is one. Changes under a latch; due_count.h.
  std::mutex& due_mutex() { return due_mutex_; }  // Held while counting: one thread at a time.
  std::optional<DueRecord> due_record() const {
    const std::lock_guard lock(short_mutex_);
    return due_record_;
  }
  void SetDueRecord(const DueRecord& record);
  void ForgetDue();
  std::uint64_t due_generation() const { return due_generation_; }  // Changes with ForgetDue().

  // The progress of purges of rows or of members, while more is due; due_walk.h.
  PurgePass purge_pass(bool members) const {
    const std::lock_guard lock(short_mutex_);
    return purge_passes_[members ? 1 : 0];
  }
  void SetPurgePass(bool members, PurgePass pass) {
    const std::lock_guard lock(short_mutex_);
    purge_passes_[members ? 1 : 0] = std::move(pass);
  }

  // Since when there may be bytes of dead, deleted or, with a promise, replaced rows in files;
  // WallTime::max(): there are none.
  WallTime removing_since() const {
    return WallTimeFromMs(std::min(round_since_ms_.load(), removing_since_ms_.load()));
  }
  // True when no removal was noted before.
  bool NoteRemoval(WallTime since) { return Lower(removing_since_ms_, since); }

  // Notes an overwrite: the old bytes may lie beneath a newer version, where no tombstone and no
  // deadline shows them. Stays noted until a round has succeeded.
  bool NoteOverwrite(WallTime since) {
    overwrote_ = true;
    return NoteRemoval(since);
  }

  // When a round of Promises should begin: halfway to the end of the promise, or at once.
  // WallTime::max(): there is no promise, or nothing to do.
  WallTime RoundDue() const;
  void HurryRound() { hurry_ = true; }

  // When the present promise was made: rows that had ended before count as if they had ended then.
  WallTime promised_since() const { return WallTimeFromMs(promised_since_ms_.load()); }
  void SetPromisedSince(WallTime since) { promised_since_ms_ = ToMs(since); }

  // A round of Promises takes over what was noted. Until it ends nothing is forgotten, and if it
  // fails everything stays noted. One round at a time.
  void BeginRound();
  void EndRound(bool done);

  // Whether the round has to search for overwritten bytes.
  bool round_overwrote() const { return round_overwrote_.load(); }

  // Sets whether it was reported that the promise is late; returns the previous value.
  bool SetReportedLate(bool late) { return reported_late_.exchange(late); }

 private:
  static void Raise(std::atomic<std::int64_t>& watermark_ms, WallTime to);
  static bool Lower(std::atomic<std::int64_t>& since_ms, WallTime to);

  const KeyspaceId id_;
  const std::string name_;
  const bool by_timestamp_;  // As in the policy, which cannot change it.
  std::atomic<bool> promises_;
  std::atomic<EventDetail> events_;
  SharedValue<KeyspacePolicy> policy_;
  alignas(64) Gate gate_;  // A cache line of its own: every write changes it.
  alignas(64) std::atomic<bool> dropped_{false};
  std::atomic<bool> purges_held_{false};
  std::array<Counters, kCounters> counters_{};  // Each as counters() says.
  std::atomic<std::int64_t> total_rows_{0};
  std::atomic<std::int64_t> total_mortal_{0};
  std::atomic<std::int64_t> orphans_{0};
  std::atomic<bool> has_mortal_members_{false};
  std::atomic<std::int64_t> watermark_ms_{0};
  std::atomic<std::int64_t> members_watermark_ms_{0};
  static constexpr std::int64_t kBeforeAllTimeMs = -1;
  std::array<std::atomic<std::int64_t>, 2> due_through_ms_{kBeforeAllTimeMs, kBeforeAllTimeMs};
  std::atomic<std::uint64_t> due_generation_{0};
  std::mutex due_mutex_;
  mutable std::mutex short_mutex_;  // Guards the next two; nothing is taken under it.
  std::optional<DueRecord> due_record_;
  std::array<PurgePass, 2> purge_passes_;
  static constexpr std::int64_t kNeverMs = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> removing_since_ms_{kNeverMs};
  std::atomic<std::int64_t> round_since_ms_{kNeverMs};  // Taken over by the round under way.
  std::atomic<bool> overwrote_{true};  // An earlier run, or one without a promise, may have.
  std::atomic<bool> round_overwrote_{false};
  std::atomic<bool> reported_late_{false};
  std::atomic<bool> hurry_{false};
  std::atomic<std::int64_t> promised_since_ms_{0};
};

}  // namespace mayfly::core
