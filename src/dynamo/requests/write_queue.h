// write_queue.h - queued writes of single items that were requested together: they are applied
// together, and may share one commit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "dynamo/requests/capacity.h"
#include "http/router.h"
#include "tables/protocol_tables.h"

namespace mayfly::dynamo {

// A PutItem, UpdateItem or DeleteItem, parsed.
struct AskedWrite {
  tables::ItemWrite write;
  Capacity capacity;
};

class WriteQueue {
 public:
  void Add(http::Exchange& exchange, AskedWrite write) {
    asked_.push_back({&exchange, std::move(write.capacity)});
    writes_.push_back(std::move(write.write));
  }

  bool empty() const { return done_ == asked_.size(); }

  bool HasOf(const void* client) const {
    return std::any_of(asked_.begin() + static_cast<std::ptrdiff_t>(done_), asked_.end(),
                       [&](const Asked& one) { return one.exchange->client == client; });
  }

  // Applies a prefix of them, at least one. Calls `respond(exchange, write, capacity, outcome)` once
  // for each.
  template <typename Respond>
  void DoFirst(tables::ProtocolTables& tables, const Respond& respond) {
    const std::span<const tables::ItemWrite> rest = std::span(writes_).subspan(done_);
    for (Result<WriteOutcome>& outcome : tables.WritePrefix(rest)) {
      const std::size_t i = done_++;
      respond(*asked_[i].exchange, writes_[i], asked_[i].capacity, std::move(outcome));
    }
  }

 private:
  struct Asked {
    http::Exchange* exchange;
    Capacity capacity;
  };

  std::vector<Asked> asked_;
  std::vector<tables::ItemWrite> writes_;  // One for each.
  std::size_t done_ = 0;
};

}  // namespace mayfly::dynamo
