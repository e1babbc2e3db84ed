// write_buffer.h - one keyspace within a transaction: buffers its writes, and reads through them.
// A read that finds no draft goes to the transaction's RowSource. A write first reads the stored
// row, once, so that the commit knows what it replaces. All plain writes are decisions (change.h)
// that become drafts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/commit/commit_plan.h"
#include "core/reads/drafts.h"
#include "core/store/store.h"
#include "core/transactions/row_source.h"
#include "core/transactions/transaction_keyspace.h"
#include "core/transactions/writes.h"

namespace mayfly::core {

class DraftMemory;
class WriteBuffers;

class WriteBuffer final : public TransactionKeyspace, private WriteTarget {
 public:
  // The first three must outlive the buffer; `keyspace`, the caller's handle, may be null.
  WriteBuffer(WriteBuffers& transaction, Store& store, KeyspaceState& state,
              const Keyspace* keyspace)
      : transaction_(transaction), store_(store), state_(state), keyspace_(keyspace) {}

  Status Find(Bytes key, FoundRow& row) override;
  Status Put(Bytes key, Bytes value, Lifetime lifetime) override;
  Result<bool> Delete(Bytes key) override;
  Result<bool> Evict(Bytes key) override;
  Result<bool> Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) override;
  Result<bool> PutAt(Bytes key, Bytes value, WallTime timestamp, Lifetime lifetime) override;
  Result<bool> DeleteAt(Bytes key, WallTime timestamp) override;
  Status Copy(Bytes from, TransactionKeyspace& to_space, Bytes to) override;
  Status Move(Bytes from, TransactionKeyspace& to_space, Bytes to) override;
  Status MeetDeadMembers(Bytes key) override;
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
  Result<std::unique_ptr<TransactionCursor>> NewCursor(const CursorOptions& options,
                                                       std::uint64_t dead_max) override;
  Result<std::optional<std::string>> MortalKey(std::uint64_t n) override;
  Result<std::uint64_t> Count() override;
  Status Clear() override;

  const Keyspace* keyspace() const override { return keyspace_; }

  // See member_deaths.h.
  Result<std::optional<WallTime>> NextMemberDeath(Bytes key);

  // Applies a decision to the draft of a key. With kWhole a value in chunks is shown to it, and
  // written back, as the plain value that it stands for.
  enum class Values : std::uint8_t { kAsStored, kWhole };
  Status Apply(Bytes key, Decide decide, Values values);

  // Makes a collection that dies at exactly this instant, without asking the policy: it had that
  // deadline before.
  Status MakeCollectionUntil(Bytes key, Bytes head, std::optional<WallTime> deadline);

  // Sets the last deadlines of collections that have changed since the last call, for readers of
  // rows. An optimistic transaction calls this before each of them.
  Status SetLastDeadlines();

  KeyspaceState& state() const { return state_; }
  const BufferedRows& rows() const { return rows_; }

  // Whether there is anything to commit.
  bool HasDrafts() const;

  // The row of a key that the commit will write, or that late writes belong to; else null.
  BufferedRow* DraftOf(Bytes key);

  // Forgets everything.
  void Discard();

  // As Discard(), when the transaction ends.
  void LeaveMemory(DraftMemory& memory);

  // Adds everything to the plan. Keys in the plan point into this buffer.
  Status Plan(CommitPlan& plan);

  // Ends staging as the transaction ends: staged parts that did not get their row become orphans
  // for good. Called while the latches are held.
  void EndStaging(bool committed);

  // Carries the drafts over to the present: computes again what depends on the stored rows, which
  // the caller has read again (BufferedRow::ToReread()), and on the instant. Conflict when a
  // collection that is changed has died.
  Status Rebase();

  // For rolling changes back.
  struct Cleared {
    BufferedRows rows;
    LateDrafts late;
    BufferedCollections collections;
    bool was_cleared = false;
  };
  void SetDraft(BufferedRows::value_type& row, const RowDraftState& draft_state, std::string value);
  void SetLateDraft(Bytes key, WallTime timestamp, std::optional<RowDraft> draft);
  void TakeBackClear(Cleared before);

 private:
  using Rows = BufferedRows::value_type;

  // WriteTarget
  WriteRule Rule() const override;
  Status Apply(Bytes key, Decide decide) override { return Apply(key, decide, Values::kAsStored); }

  RowSource& source() const;
  Status CheckRead(Bytes key, Stripe stripe) const;
  Status CheckWrite(Bytes key, Stripe stripe) const;

  // As StripeOf(), which hashes the key.
  Stripe StripeFor(Bytes key) const {
    return IsLast(key) ? last_->second.stripe : StripeOf(state_.id(), key);
  }
  Status CheckCollections() const;

  Status Look(Bytes key, FoundRow& found);

  // Finds the buffered row or reads it. The pointer holds as long as the buffer.
  Status Load(Bytes key, Stripe stripe, Rows*& row);
  Status Load(Bytes key, Stripe stripe, Rows*& row, bool& is_new);
  Status Keep(Bytes key, Stripe stripe, Bytes encoded, Rows*& row);
  bool IsLast(Bytes key) const { return last_ != nullptr && last_->first == key; }
  Status Fill(Bytes key, BufferedRow& row);
  Status LoadStored(Bytes key, BufferedRow& row);
  Status SetCounts(Bytes key, const Collection& collection, RowDraftState& draft);
  static void Show(const BufferedRow& row, WallTime now, FoundRow& found);

  // Called before a change: of the row, or of a side, which leaves the row unchanged.
  RowDraft& ToChange(Rows& row);
  RowDraft& ToPlan(Rows& row);
  void Remove(Rows& row);
  void Replace(Rows& row, const RowDraftState& draft_state, Bytes value);

  Status Decided(const BufferedRow& own, const Change& change, RowDraftState& fresh) const;
  void SetTimestamp(const BufferedRow& own, const Change& change, RowDraftState& fresh) const;
  void AddLate(const std::string& key, const RowDraftState& draft_state, Bytes value);

  Result<RowDraftState> NewCollection(Bytes head);
  Status CheckHead(Bytes head) const;
  Status CheckRoom(const BufferedCollection& parts) const;

  struct Living {
    Rows* row = nullptr;
    BufferedCollection* parts = nullptr;

    RowDraft& draft() const { return row->second.draft; }
  };
  enum class Access : std::uint8_t { kRead, kWrite };
  Status LivingCollection(Bytes key, Access access, Living& living);
  Status FindLivingCollection(Bytes key, Access access, Living& living);
  bool IsLastLiving(Bytes key, Access access) const;
  BufferedCollection& PartsOf(Rows& row) {
    const bool is_last =
        last_parts_.second != nullptr && last_parts_.first == row.second.draft.collection_id;
    return is_last ? *last_parts_.second : FindParts(row);
  }
  BufferedCollection& FindParts(Rows& row);
  BufferedCollection& UsedParts(BufferedCollections::value_type& parts) {
    last_parts_ = {parts.first, &parts.second};
    return parts.second;
  }
  BufferedMembers& MapOf(BufferedCollection& parts, Part part) const {
    return part == Part::kMembers ? parts.members : parts.sides;
  }
  Status FindPart(Bytes key, Part part, Bytes name, FoundMember& found);
  Status CheckName(const BufferedCollection& parts, Bytes name) const;
  // Finds the buffered member or reads it. True: it was not buffered before.
  Result<bool> LoadMember(Bytes key, BufferedCollection& parts, Bytes member, bool skip_read,
                          BufferedMembers::value_type*& own);
  Status ReadMember(Bytes key, const BufferedCollection& parts, Bytes member, BufferedMember& own);
  Result<bool> ReadPart(Bytes key, const BufferedCollection& parts, PartKind kind, Bytes name,
                        PinnedBytes& pin, RowView& row);
  MemberDraft& PartToChange(const Living& living, BufferedMembers::value_type& part);
  void SetMember(const Living& living, BufferedMembers::value_type& member, Bytes value,
                 MemberDraft fresh);
  Status NoteDeadMembers(BufferedRows::value_type& row);
  Status CopyParts(WriteBuffer& to_space, Bytes from, Bytes to);
  void KeepMoved(CommitPlan& plan) const;

  bool MayPack(const RowDraft& draft, const BufferedCollection& parts, Bytes head) const;
  Result<bool> Pack(const BufferedCollection& parts);
  Status Unpack(CommitPlan& plan, const BufferedCollection& parts) const;

  Status StageIfMany(Bytes key, std::uint64_t collection_id, std::size_t bytes);
  Status Stage(Rows& row, BufferedCollection& parts);

  Status RebaseRow(Rows& row);
  Status RebaseCollection(Rows& row);

  Status PlanRow(CommitPlan& plan, const Rows& row);
  Status PlanLate(CommitPlan& plan);
  Status PlanCollection(CommitPlan& plan, const Rows& row, const RowView* old);
  void PlanParts(CommitPlan& plan, const Rows& row, BufferedCollection& parts,
                 bool staged = false) const;
  Result<std::optional<WallTime>> LastDeadline(const RowDraft& draft) const;

  WriteBuffers& transaction_;
  Store& store_;
  KeyspaceState& state_;
  const Keyspace* const keyspace_;
  mutable std::optional<KeyspacePolicy> policy_;  // As of the first use.
  BufferedRows rows_;
  LateDrafts late_;
  // Keys of collections, for SetLastDeadlines().
  std::set<std::string, std::less<>> stale_deadlines_;
  BufferedCollections collections_;  // By collection id.
  std::set<std::uint64_t> staged_;   // Ids of collections with parts in the engine and no row.
  std::set<std::uint64_t> adopted_;  // Those of staged_ whose row is in the plan.
  Rows* last_ = nullptr;  // The row that was asked for last: most calls concern it again.
  std::pair<std::uint64_t, BufferedCollection*> last_parts_ = {};  // By collection id.
  std::string packed_;                                             // Scratch.
  bool cleared_ = false;                                           // Stored rows no longer count.
  bool moved_ = false;  // A collection may be under another key than before.
};

}  // namespace mayfly::core
