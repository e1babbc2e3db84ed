// write_buffers.h - the writes of one transaction: a write buffer per keyspace and one undo log.
// The latched and the optimistic transaction both consist of this and a RowSource. Threads: one at
// a time.
#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/transactions/draft_memory.h"
#include "core/transactions/transaction_keyspace.h"
#include "core/transactions/write_buffer.h"

namespace mayfly::core {

class WriteBuffers {
 public:
  // All must outlive this object. `memory` may be null.
  WriteBuffers(Store& store, RowSource& rows, DraftMemory* memory = nullptr)
      : store_(store), rows_(&rows), lent_(memory) {
    std::swap(changed_, this->memory().changed);
  }
  ~WriteBuffers();
  WriteBuffers(const WriteBuffers&) = delete;
  WriteBuffers& operator=(const WriteBuffers&) = delete;

  WriteBuffer& In(const Keyspace& keyspace);
  WriteBuffer& In(KeyspaceState& state, const Keyspace* keyspace);

  // The instant of everything in the transaction.
  WallTime now() const { return now_; }
  void set_now(WallTime now) { now_ = now; }

  // Marks rise; rolling back to one ends the later ones, releasing one ends it, too.
  using Mark = std::size_t;
  Mark SetMark();
  void RollBack(Mark mark);
  void Release(Mark mark);
  std::size_t marks() const { return marks_.size(); }
  bool ChangedSince(Mark mark) const { return undos_.size() > marks_.at(mark).undos; }

  // What was found dead, if the store has a listener for that.
  std::vector<Death> TakeMetDead() { return std::exchange(met_dead_, {}); }

  const std::vector<ChangedKey>& changed() const { return changed_; }
  ReadCounts& read_counts() { return read_counts_; }
  std::size_t buffered_bytes() const { return buffered_bytes_; }

  // Whether there is anything to commit.
  bool HasDrafts() const;

  // Adds everything to the plan. Keys in the plan point into the buffers.
  Status Plan(CommitPlan& plan);

  // Ends staging as the transaction ends. Called while the latches are held.
  void EndStaging(bool committed);

  // Carries the drafts from a frozen state to the present, at another instant, under the latches of
  // all rows that were read. The caller has read these rows again: see BufferedRow::ToReread().
  Status Rebase(RowSource& present, WallTime now);

  // Forgets everything; reads go to `rows` from now on.
  void Discard(RowSource& rows);

  DraftMemory& memory() { return lent_ != nullptr ? *lent_ : own_; }

  // For write buffers.
  bool notes_deaths() const { return store_.death_listener() != nullptr; }
  void MetDead(const KeyspaceState& keyspace, Bytes key, std::optional<Bytes> member = {}) {
    if (!notes_deaths()) return;
    met_dead_.push_back({keyspace.name(), std::string(key),
                         member ? std::optional(std::string(*member)) : std::nullopt});
  }

  // An epoch ends with every mark that is set or rolled back to.
  RowSource& rows() const { return *rows_; }
  std::uint64_t epoch() const { return epoch_; }
  void Changed(const Keyspace* keyspace, Bytes key) { changed_.push_back({keyspace, key}); }
  void Buffered(Bytes bytes) { buffered_bytes_ += bytes.size(); }
  bool KeepsReads() const { return kept_bytes_ < kKeptReadBytesMax; }
  void Kept(Bytes bytes) { kept_bytes_ += sizeof(BufferedRow) + bytes.size(); }
  void BufferedChange(Bytes name) { buffered_bytes_ += kBufferedChangeBytes + 2 * name.size(); }

  // Records what a rollback restores, if there is a mark. Rows and parts stay where they are.
  void Save(WriteBuffer& space, BufferedRows::value_type& row);
  void Save(WriteBuffer& space, Bytes key, WallTime late, std::optional<RowDraft> before);
  void Save(WriteBuffer& space, BufferedMember& part);
  void SaveClear(WriteBuffer& space, WriteBuffer::Cleared before);

 private:
  struct RowUndo {
    BufferedRows::value_type* row;
    RowDraftState before;
    std::string value;
  };
  struct LateUndo {
    std::string key;
    WallTime timestamp;
    std::optional<RowDraft> before;
  };
  struct PartUndo {
    BufferedMember* part;
    MemberDraft before;
  };
  struct ClearUndo {
    WriteBuffer::Cleared before;
    std::vector<ChangedKey> changed;
  };
  using LargeUndo = std::unique_ptr<ClearUndo>;  // Most undos are of rows and parts.
  struct Undo {
    template <typename Before>
    Undo(WriteBuffer& in, Before&& what) : space(&in), before(std::forward<Before>(what)) {}

    WriteBuffer* space;
    std::variant<RowUndo, LateUndo, PartUndo, LargeUndo> before;
  };
  static constexpr std::size_t kFewUndos = 8;
  struct Point {
    std::size_t undos;
    std::size_t changed;
  };

  // Most commands change a few rows and parts.
  template <typename Before>
  void AddUndo(WriteBuffer& space, Before&& before) {
    if (undos_.capacity() == 0) undos_.reserve(kFewUndos);
    undos_.emplace_back(space, std::forward<Before>(before));
  }
  void TakeBack(Undo& undo);

  Store& store_;
  RowSource* rows_;
  DraftMemory* const lent_;
  DraftMemory own_;
  WallTime now_;
  std::optional<WriteBuffer> first_;  // The first keyspace that was requested.
  std::vector<std::unique_ptr<WriteBuffer>> others_;
  std::vector<ChangedKey> changed_;
  std::vector<Death> met_dead_;
  ReadCounts read_counts_;
  std::size_t buffered_bytes_ = 0;
  std::size_t kept_bytes_ = 0;  // Of what was read and is kept.
  std::vector<Undo> undos_;
  boost::container::small_vector<Point, 2> marks_;
  std::uint64_t epoch_ = 1;
};

// Most calls concern the row of the last one, which has passed the checks of its key, and those of a
// write if it is dirty.
inline bool WriteBuffer::IsLastLiving(Bytes key, Access access) const {
  if (!IsLast(key) || !transaction_.rows().is_latched()) return false;
  const RowDraft& draft = last_->second.draft;
  return (access == Access::kRead || draft.dirty) && draft.kind == RowDraft::Kind::kCollection &&
         (draft.living_members() > 0 || draft.fresh) &&
         !IsDead(draft.deadline, transaction_.now()) && last_parts_.second != nullptr &&
         last_parts_.first == draft.collection_id && transaction_.rows().CheckUse(state_).ok();
}

inline Status WriteBuffer::LivingCollection(Bytes key, Access access, Living& living) {
  if (!IsLastLiving(key, access)) [[unlikely]]
    return FindLivingCollection(key, access, living);
  living = {last_, last_parts_.second};
  return {};
}

}  // namespace mayfly::core
