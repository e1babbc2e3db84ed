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
  // A stripe to latch.
  struct Target {
    KeyspaceState* keyspace;
    Stripe stripe;
    bool writes = true;  // False: the stripe is shared with other readers.
  };

  // Ignores `targets` when `everything` is set. The store must outlive the transaction.
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

  // For write buffers. An epoch ends with every mark that is set or rolled back to.
  std::uint64_t epoch() const { return epoch_; }
  bool over() const { return over_; }
  bool has_everything() const { return everything_; }
  bool Holds(Stripe stripe) const { return everything_ || held_[stripe] || shared_[stripe]; }
  bool HoldsAlone(Stripe stripe) const { return everything_ || held_[stripe]; }

  // The snapshot that unlatched rows are read from; null with everything, where all are latched.
  struct Frozen {
    std::shared_ptr<const engine::Snapshot> snapshot;  // Shared with OpenStates.
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

  // Records what a rollback restores, if there is a mark.
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
  std::shared_ptr<OpenStates::State> state_;  // Only with `walks`. Not shared.
  std::optional<Frozen> frozen_;              // Lent from state_.
  WallTime now_;
  bool over_ = false;

  // Released in reverse: latches first. Most latched transactions have one key of one keyspace, and
  // allocate nothing here.
  std::vector<std::shared_ptr<KeyspaceState>> kept_;  // With everything; the catalog's too.
  const KeyspaceState* only_ = nullptr;               // The keyspace whose gate is held, if one,
  std::shared_lock<KeyspaceState::Gate> only_gate_;
  std::vector<KeyspaceState*> keyspaces_;  // or several, by id.
  std::vector<std::shared_lock<KeyspaceState::Gate>> gates_;
  KeyLatches::Stripes held_;    // Alone.
  KeyLatches::Stripes shared_;  // With other readers, unless they are among held_.
  KeyLatches::One latch_;       // For a transaction that needs one latch,
  KeyLatches::Shared shared_latch_;
  std::optional<KeyLatches::Many> latches_;  // or several.

  std::optional<WriteBuffer> first_;  // The first keyspace that was requested.
  std::vector<std::unique_ptr<WriteBuffer>> others_;
  std::vector<ChangedKey> changed_;
  ReadCounts read_counts_;
  std::size_t buffered_bytes_ = 0;
  std::vector<Undo> undos_;
  std::vector<Point> marks_;
  std::uint64_t epoch_ = 1;
};

}  // namespace mayfly::core
