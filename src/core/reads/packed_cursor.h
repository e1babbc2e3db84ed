// packed_cursor.h - a cursor over the parts that lie in their collection's row.
// It shows them under the keys, and as the rows, that they would have in `members`. So whatever
// walks over parts need not know where they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/packed_parts.h"
#include "engine/engine.h"

namespace mayfly::core {

class PackedCursor final : public engine::Cursor {
 public:
  // Over the parts with keys in [begin, end). The packed bytes must outlive the cursor.
  PackedCursor(Bytes packed, const PartKeys& keys, const engine::KeyRange& range);

  Status status() const override { return status_; }

 private:
  void DoSeekToFirst() override { MoveTo(0); }
  void DoSeekToLast() override { MoveTo(parts_.size() - 1); }
  void DoSeekAtOrAfter(Bytes target) override { MoveTo(CountBefore(target)); }
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override { MoveTo(at_ + 1); }
  void DoPrev() override { MoveTo(at_ - 1); }

  std::size_t CountBefore(Bytes key) const;
  void MoveTo(std::size_t at);
  bool IsBefore(const PackedPart& part, Bytes key) const;

  const std::size_t prefix_bytes_;
  std::vector<PackedPart> parts_;
  std::size_t at_ = 0;
  std::string key_;  // The prefix, and what follows it here.
  Status status_;
};

// A cursor over the stored parts of a collection: those in its row, if they are there, or those in
// `members`. The packed bytes must outlive it.
Result<std::unique_ptr<engine::Cursor>> NewPartCursor(const engine::Engine& engine,
                                                      const PartKeys& keys,
                                                      std::optional<Bytes> packed,
                                                      const engine::CursorOptions& options);

}  // namespace mayfly::core
