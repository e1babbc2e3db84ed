// write_buffer.h - one keyspace within a latched transaction: buffers its writes, and reads through
// them. A read that finds no draft goes to the engine as any other read does. A write first reads
// the stored row, once, so that the commit knows what it replaces.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/commit/commit_plan.h"
#include "core/store/store.h"
#include "core/transactions/drafts.h"
#include "core/transactions/latched_transaction.h"

namespace mayfly::core {

class LatchedTransactionImpl;

class WriteBuffer final : public LatchedKeyspace {
 public:
  // `held`: the transaction holds the keyspace's gate.
  WriteBuffer(LatchedTransactionImpl& transaction, Store& store, KeyspaceState& state,
              const Keyspace* keyspace, bool held)
      : transaction_(transaction), store_(store), state_(state), keyspace_(keyspace), held_(held) {}

  Status Find(Bytes key, FoundRow& row) override;
  Status Put(Bytes key, Bytes value, Lifetime lifetime) override;
  Result<bool> Delete(Bytes key) override;
  Result<bool> Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) override;
  Status Copy(Bytes from, LatchedKeyspace& to_space, Bytes to) override;
  Status Move(Bytes from, LatchedKeyspace& to_space, Bytes to) override;
  Status MakeCollection(Bytes key, Bytes head, Lifetime lifetime) override;
  Status SetHead(Bytes key, Bytes head) override;
  Status FindMember(Bytes key, Bytes member, FoundMember& found) override;
  Result<bool> PutMember(Bytes key, Bytes member, Bytes value, MemberLifetime lifetime,
                         bool known_new) override;
  Result<bool> RemoveMember(Bytes key, Bytes member) override;
  Status FindSide(Bytes key, Bytes side, FoundMember& found) override;
  Status PutSide(Bytes key, Bytes side, Bytes value) override;
  Status RemoveSide(Bytes key, Bytes side) override;
  Result<std::unique_ptr<MemberCursor>> NewMemberCursor(Bytes key, Part part,
                                                        const MemberRange& range) override;
  Result<std::unique_ptr<LatchedCursor>> NewCursor(const CursorOptions& options,
                                                   std::uint64_t dead_max) override;
  Result<std::optional<std::string>> MortalKey(std::uint64_t n) override;
  Result<std::uint64_t> Count() override;
  Status Clear() override;

  // Makes a collection that dies at exactly this instant, without asking the policy: it had that
  // deadline before.
  Status MakeCollectionUntil(Bytes key, Bytes head, std::optional<WallTime> deadline);

  KeyspaceState& state() const { return state_; }
  const Keyspace* keyspace() const { return keyspace_; }

  // Adds everything to the plan. Keys in the plan point into this buffer.
  Status Plan(CommitPlan& plan);

  // Ends staging as the transaction ends: staged parts that did not get their row become orphans
  // for good. Called while the latches are held.
  void EndStaging(bool committed);

  // For rolling changes back.
  struct Cleared {
    BufferedRows rows;
    BufferedCollections collections;
    bool was_cleared = false;
  };
  void SetDraft(Bytes key, RowDraft draft);
  void SetDraft(std::uint64_t collection_id, Part part, Bytes name, MemberDraft draft);
  void TakeBackClear(Cleared before);

 private:
  using Rows = BufferedRows::value_type;

  Status CheckUse() const;
  Status CheckKey(Bytes key) const;
  Status CheckWrite(Bytes key) const;
  LifetimeRule Rule();

  Status Look(Bytes key, FoundRow& found);

  // Finds the buffered row or reads it. The pointer holds as long as the buffer.
  Result<Rows*> Load(Bytes key);
  Result<Rows*> Keep(Bytes key, Bytes encoded);
  Status Fill(Bytes key, BufferedRow& row) const;
  Status Settle(Bytes key, BufferedRow& row) const;
  static void Show(const BufferedRow& row, WallTime now, FoundRow& found);

  // Called before a change: of the row, or of a side, which leaves the row unchanged.
  RowDraft& ToChange(Rows& row);
  RowDraft& ToPlan(Rows& row);
  void Remove(Rows& row);
  void Replace(Rows& row, RowDraft draft);
  Result<RowDraft> NewCollection(Bytes head);
  Status CheckHead(Bytes head) const;

  struct Living {
    Rows* row;
    BufferedCollection* parts;

    RowDraft& draft() const { return row->second.draft; }
  };
  Result<Living> LivingCollection(Bytes key);
  BufferedCollection& PartsOf(Rows& row);
  BufferedMembers& MapOf(BufferedCollection& parts, Part part) const {
    return part == Part::kMembers ? parts.members : parts.sides;
  }
  Status FindPart(Bytes key, Part part, Bytes name, FoundMember& found);
  Status CheckName(const BufferedCollection& parts, Bytes name) const;
  Result<BufferedMembers::value_type*> LoadMember(BufferedCollection& parts, Bytes member,
                                                  bool skip_read);
  MemberDraft& PartToChange(const Living& living, Part part, BufferedMembers::value_type& member);
  void SetMember(const Living& living, BufferedMembers::value_type& member, MemberDraft fresh);
  Status CopyParts(WriteBuffer& to_space, Bytes from, Bytes to);
  void KeepMoved(CommitPlan& plan) const;

  Status StageIfMany(Bytes key, std::uint64_t collection_id, std::size_t bytes);
  Status Stage(Rows& row, BufferedCollection& parts);

  Status PlanRow(CommitPlan& plan, const Rows& row);
  Status PlanCollection(CommitPlan& plan, const Rows& row, const RowView* old);
  void PlanParts(CommitPlan& plan, Bytes key, BufferedCollection& parts, bool staged = false) const;
  Result<std::optional<WallTime>> LastDeadline(const BufferedCollection* parts,
                                               std::uint64_t collection_id) const;

  LatchedTransactionImpl& transaction_;
  Store& store_;
  KeyspaceState& state_;
  const Keyspace* const keyspace_;  // The caller's handle.
  const bool held_;
  std::shared_ptr<const KeyspacePolicy> policy_;  // Shared with the keyspace; cannot change now.
  BufferedRows rows_;
  BufferedCollections collections_;  // By collection id.
  std::set<std::uint64_t> staged_;   // Ids of collections with parts in the engine and no row.
  std::set<std::uint64_t> adopted_;  // Those of staged_ whose row is in the plan.
  bool cleared_ = false;             // Stored rows no longer count.
  bool moved_ = false;               // A collection may be under another key than before.
};

}  // namespace mayfly::core
