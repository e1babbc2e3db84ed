// due_walk.h - reads the due entries of one index, page by page, over many steps of a purge.
// While many rows of one deadline are removed the watermark stands still, and a scan that began
// there each time would pass the tombstones of all rows removed before. So each scan continues
// where the last one ended: together they are a pass over the index, which belongs to the keyspace,
// so that purges of a few rows each share it. Entries that other threads write behind a pass are
// found by the next one; hence the watermark may follow a pass only up to the instant that was
// stable when the pass began.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "core/reclaim/member_purge.h"
#include "core/store/store.h"

namespace mayfly::core {

// One half of a keyspace's index: that of its rows, or that of versions and members.
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
  Bytes key;  // A member's is without the keyspace. Points into its walk.
  Stripe stripe;
};

class DueWalk {
 public:
  // The order of rows within a page.
  enum class Order : std::uint8_t {
    kIndex,            // The oldest first, and by key.
    kDeadlineByLatch,  // The oldest first; those of one deadline by latch.
    kLatch,            // By latch.
  };

  // How to read a page.
  struct Request {
    WallTime now;
    WallTime stable;  // Every write of an instant up to this is done.
    Order order;
    std::size_t rows_max;
  };

  // Reads a page unless rows of the last one are left. False: nothing is due.
  Result<bool> Fill(const Store& store, const IndexHalf& half, const Request& request);

  // The next rows to remove: of one latch if the page is ordered so, but up to kReaperStepRowsMax
  // of several where the order of deadlines separates those of one latch. Valid until Done() or
  // Fill().
  std::span<Due> Next(std::size_t rows_max);

  // How far the watermark may rise once these rows and all before them are removed; nothing before
  // the page ends.
  std::optional<WallTime> ReachedWith(const IndexHalf& half, std::span<const Due> rows) const;

  // Notes that these rows are removed.
  void Done(const IndexHalf& half, std::span<const Due> rows);

  // Of the page that Fill() read last.
  std::size_t page_rows() const { return page_.size(); }
  bool page_begins() const { return done_ == 0; }

 private:
  Result<bool> Read(const Store& store, const IndexHalf& half, const std::string& begin,
                    const Request& request);
  void Arrange(Order order);

  PurgePass pass_;  // The page's pass; it reaches to where the page begins.
  std::vector<Due> page_;
  std::pmr::monotonic_buffer_resource keys_;  // Owns the bytes of the page's keys.
  std::size_t done_ = 0;                      // Of the page.
  Order order_ = Order::kIndex;
  WallTime first_;    // The first deadline of the page,
  WallTime through_;  // the last,
  std::string last_;  // and its entry.
};

// The stripe of an entry's row or member. A member's holds until its collection moves to another
// key.
Result<Stripe> StripeOfDue(const IndexHalf& half, MemberStripes& members, Bytes key);

// The earliest deadline in the index from `begin` on; nothing when there is none.
Result<std::optional<WallTime>> FirstDeadline(const Store& store, const IndexHalf& half,
                                              const std::string& begin);

}  // namespace mayfly::core
