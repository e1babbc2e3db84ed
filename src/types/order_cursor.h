// order_cursor.h - a cursor over the items of a counted order, up or down.
// It reads only the range of each leaf in its space, so that it passes no tombstones elsewhere.
// Must be destroyed before the collection is changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/order_node.h"
#include "types/order_nodes.h"

namespace mayfly::types {

class OrderCursor {
 public:
  enum class Way : std::uint8_t { kUp, kDown };

  // Borrows the space and the key.
  OrderCursor(core::TransactionKeyspace& space, Bytes key, const OrderRoot& root, Way way)
      : space_(space), key_(key), nodes_(space, key), root_(root), up_(way == Way::kUp) {}

  // Move to the first item in its direction; or to the first one at `item` or beyond.
  void Enter() { SetPosition(Begin(std::nullopt)); }
  void EnterAt(Bytes item) { SetPosition(Begin(item)); }

  bool Valid() const { return valid_; }
  void Next();

  // These hold until it moves.
  Bytes item() const { return ItemOfOrderRow(leaf_->member()); }
  Bytes value() const { return leaf_->value(); }

  const Status& status() const { return status_; }

 private:
  // A node on the path, and which of its children was entered.
  struct Level {
    std::uint64_t space;
    std::string bytes;  // Of the index.
    std::optional<std::string> end;
    std::size_t place = 0;
  };
  struct Stretch {
    std::uint64_t space = 0;
    std::string low = {};
    std::optional<std::string> end = {};
  };

  Result<bool> Begin(std::optional<Bytes> item);
  Result<bool> Down(Stretch at, std::optional<Bytes> item);
  Result<bool> GoOn();
  Result<bool> IsEmpty() const;
  void SetPosition(Result<bool> found);
  static Result<Stretch> ChildOf(const Level& level);

  core::TransactionKeyspace& space_;
  const Bytes key_;  // The caller's.
  const OrderNodes nodes_;
  const OrderRoot root_;
  const bool up_;
  std::vector<Level> levels_;  // From the root down to the current leaf.
  std::unique_ptr<core::MemberCursor> leaf_;
  bool valid_ = false;
  Status status_;
};

}  // namespace mayfly::types
