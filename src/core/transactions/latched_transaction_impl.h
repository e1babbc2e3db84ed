// latched_transaction_impl.h - a LatchedTransaction over a store: gates, latches, one instant, one
// plan.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <variant>
#include <vector>

#include "core/store/store.h"
#include "core/transactions/latched_transaction.h"
#include "core/transactions/write_buffer.h"

namespace mayfly::core {

class LatchedTransactionImpl final : public LatchedTransaction {
 public:
  // What is to be latched.
  struct Target {
    KeyspaceState* keyspace;
    Stripe stripe;
    bool writes = true;  // Else others may read what is in the stripe, too.
  };

  // With everything, `targets` do not matter. The store must outlive the transaction.
  static Result<std::unique_ptr<LatchedTransactionImpl>> Begin(Store& store,
                                                               std::span<const Target> targets,
                                                               bool everything, bool walks = false);
  ~LatchedTransactionImpl() override;

  LatchedKeyspace& In(const Keyspace& keyspace) override;
  WriteBuffer& In(KeyspaceState& state, const Keyspace* keyspace = nullptr);
  WallTime now() const override { return now_; }
  Mark SetMark() override;
  void RollBack(Mark mark) override;
  const std::vector<ChangedKey>& changed() const override { return changed_; }
  ReadCounts& read_counts() override { return read_counts_; }
  std::size_t buffered_bytes() const override { return buffered_bytes_; }
  Status Commit() override { return Commit(store_.options().durability); }
  Status Commit(Durability durability);

  // For the spaces. An epoch ends with every mark that is set or gone back to.
  std::uint64_t epoch() const { return epoch_; }
  bool over() const { return over_; }
  bool has_everything() const { return everything_; }
  bool Holds(Stripe stripe) const { return everything_ || held_[stripe] || shared_[stripe]; }
  bool HoldsAlone(Stripe stripe) const { return everything_ || held_[stripe]; }

  // What rows that are not latched are read from; null with everything, where all are.
  struct Frozen {
    std::shared_ptr<const engine::Snapshot> snapshot;  // Shared with the book of states.
    std::map<KeyspaceId, WallTime> watermarks;         // From before the state was taken.

    // No entry in the state lies before it.
    WallTime FirstDeadline(KeyspaceId keyspace) const {
      const auto found = watermarks.find(keyspace);
      return found == watermarks.end() ? WallTimeFromMs(0) : found->second;
    }
  };
  // Internal when the transaction was begun without `walks`.
  Result<const Frozen*> State() const;
  void Changed(const Keyspace* keyspace, Bytes key);
  void Buffered(Bytes bytes) { buffered_bytes_ += bytes.size(); }
  void BufferedChange(Bytes name) { buffered_bytes_ += kBufferedChangeBytes + 2 * name.size(); }

  // Remembers what to go back to, if there is a mark.
  void Save(WriteBuffer& space, Bytes key, const RowDraft& before);
  void Save(WriteBuffer& space, std::uint64_t collection_id, Part part, Bytes name,
            const MemberDraft& before);
  void SaveClear(WriteBuffer& space, WriteBuffer::Cleared before);

 private:
  struct PartUndo {
    std::uint64_t collection_id;
    Part part;
    MemberDraft before;
  };
  struct ClearUndo {
    WriteBuffer::Cleared before;
    std::vector<ChangedKey> changed;
  };
  struct Undo {
    WriteBuffer* space;
    std::string name;  // Of the row or the part.
    std::variant<RowDraft, PartUndo, ClearUndo> before;
  };
  struct Point {
    std::size_t undos;
    std::size_t changed;
  };

  LatchedTransactionImpl(Store& store, bool everything) : store_(store), everything_(everything) {}

  Status Hold(std::span<const Target> targets);
  Status HoldEverything();
  Status Freeze();
  Status HoldGate(KeyspaceState& keyspace);
  Status HoldGates(std::vector<KeyspaceState*> keyspaces);
  bool HoldsGate(const KeyspaceState& keyspace) const;
  Status CommitPlanned(Durability durability, std::vector<Event>& events);
  void EndStaging(bool committed);
  void Release();
  void TakeBack(Undo& undo);

  Store& store_;
  const bool everything_;
  std::shared_ptr<OpenStates::State>
      state_;  // Of a latched transaction that walks; shared with nobody.
  std::optional<Frozen> frozen_;              // What is lent from it.
  WallTime now_;
  bool over_ = false;

  // Released in reverse: latches first. A latched transaction with one key of one keyspace, which
  // is what most are, needs no memory for any of it.
  std::vector<std::shared_ptr<KeyspaceState>> kept_;  // Shared with the catalog; of everything.
  const KeyspaceState* only_ = nullptr;               // Whose gate is held, if it is one,
  std::shared_lock<KeyspaceState::Gate> only_gate_;
  std::vector<KeyspaceState*> keyspaces_;  // or several, by id.
  std::vector<std::shared_lock<KeyspaceState::Gate>> gates_;
  KeyLatches::Stripes held_;    // Alone.
  KeyLatches::Stripes shared_;  // With other readers, unless they are among held_.
  KeyLatches::One latch_;       // Of a latched transaction that needs one,
  KeyLatches::Shared shared_latch_;
  std::optional<KeyLatches::Many> latches_;  // or several.

  std::optional<WriteBuffer> first_;  // The first keyspace that was asked for,
  std::vector<std::unique_ptr<WriteBuffer>> others_;
  std::vector<ChangedKey> changed_;
  ReadCounts read_counts_;
  std::size_t buffered_bytes_ = 0;
  std::vector<Undo> undos_;
  std::vector<Point> marks_;
  std::uint64_t epoch_ = 1;
};

}  // namespace mayfly::core
