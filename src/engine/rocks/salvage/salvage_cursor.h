// salvage_cursor.h - a cursor over what can be read of a damaged database.
// Merges the tables of a role and the changes of the logs. For each key the version with the
// highest sequence counts, unless it is a deletion or a range tombstone hides it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cursor.h"
#include "engine/engine.h"
#include "engine/rocks/salvage/salvaged_state.h"

namespace mayfly::engine {

class SalvageCursor final : public Cursor {
 public:
  // The state outlives the cursor.
  SalvageCursor(const SalvagedState& state, Role role, const CursorOptions& options,
                std::atomic<std::uint64_t>& open_cursors);

  Status status() const override { return {}; }  // Damage is recorded, and left out.

 private:
  // A table, or the logs, at some key.
  struct Source {
    std::uint64_t number = 0;  // Of two versions with the same sequence, the newer file's counts.
    std::unique_ptr<TableCursor> walk;

    bool Valid() const { return walk->Valid(); }
    Bytes key() const { return walk->entry().key; }
  };

  void DoSeekToFirst() override { SeekForward(begin_); }
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override;
  void DoPrev() override;

  void SeekForward(std::string target);
  void SeekBackward(const std::string* target);  // Null: from the end.
  void OpenReached(const std::string& target);
  void Forward();
  void Backward();
  bool ShowBest(const std::string& key);
  void Consider(const TableEntry& entry, std::uint64_t number);

  using LoggedWalk = std::map<std::string, TableEntry, std::less<>>::const_iterator;

  const SalvagedState& state_;
  const Role role_;
  const HandleTicket ticket_;
  const std::string begin_;
  const std::string end_;

  bool forward_ = true;
  std::vector<Source> sources_;  // The sources that the cursor has reached.
  std::size_t next_table_ = 0;   // Forward: the first table not reached yet.
  LoggedWalk logged_;            // Forward: the next. Backward: one past the next.

  std::string key_;  // The current key.
  TableEntry best_;  // The version that counts so far, if found_.
  std::uint64_t best_number_ = 0;
  bool found_ = false;  // best_ is set.
};

}  // namespace mayfly::engine
