// due_walk.h - the entries of one index that are due, page by page, over many steps of a purge.
// Where many rows die in one instant the watermark stands still while they go, and a walk that
// began there each time would pass the tombstones of all that went before. So a walk goes on where
// the last one was: it is a pass over the index, which belongs to the keyspace, so that purges of a
// few rows each share it. What others write behind a pass is found by the next one; hence the
// watermark may follow a pass only up to what had settled when the pass began.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "core/reclaim/member_purge.h"
#include "core/store/store.h"

namespace mayfly::core {

// One half of a keyspace's index: of its rows, or of versions and members.
struct IndexHalf {
  KeyspaceState& keyspace;
  bool members;

  KeyspaceId index() const { return members ? MembersOf(keyspace.id()) : keyspace.id(); }
  WallTime watermark() const {
    return members ? keyspace.members_watermark() : keyspace.watermark();
  }
  void RaiseWatermark(WallTime to) const {
    members ? keyspace.RaiseMembersWatermark(to) : keyspace.RaiseWatermark(to);
  }
  bool IsEmpty() const {
    if (!members) return keyspace.TotalCounters().mortal == 0;
    return !keyspace.by_timestamp() && !keyspace.has_mortal_members();
  }
};

struct Due {
  WallTime deadline;
  std::string key;  // Of members, without the keyspace.
  Stripe stripe;
};

class DueWalk {
 public:
  // What a page is read for.
  struct Request {
    WallTime now;
    WallTime settled;  // Every write of an instant up to this is done.
    bool by_latch;     // Rows of one latch one after the other, instead of the oldest first.
    std::size_t rows_max;
  };

  // Makes sure that there is something in hand. False: nothing is due.
  Result<bool> Fill(const Store& store, const IndexHalf& half, const Request& request);

  // The next rows to remove, of one latch if the page is ordered so; until Done() or Fill().
  std::span<Due> Next(std::size_t rows_max);

  // Once these and all before are gone: up to where the watermark may follow; nothing before the
  // page ends.
  std::optional<WallTime> ReachedWith(const IndexHalf& half, std::span<const Due> rows) const;

  // These are gone.
  void Done(const IndexHalf& half, std::span<const Due> rows);

  // Of what Fill() read last.
  std::size_t page_rows() const { return page_.size(); }
  bool page_begins() const { return done_ == 0; }

 private:
  Result<bool> Read(const Store& store, const IndexHalf& half, const std::string& begin,
                    const Request& request);

  PurgePass pass_;  // That the page belongs to; it reaches to where the page begins.
  std::vector<Due> page_;
  std::size_t done_ = 0;  // Of the page.
  bool by_latch_ = false;
  WallTime first_;    // The first deadline of the page,
  WallTime through_;  // the last,
  std::string last_;  // and its entry.
};

// The latch of what an entry stands for; of members, until their collection gets another key.
Result<Stripe> StripeOfDue(const IndexHalf& half, MemberStripes& members, const std::string& key);

// The earliest deadline in the index from `begin` on; nothing when there is none.
Result<std::optional<WallTime>> FirstDeadline(const Store& store, const IndexHalf& half,
                                              const std::string& begin);

}  // namespace mayfly::core
