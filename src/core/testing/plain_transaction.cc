#include "core/testing/plain_transaction.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/layout/limits.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

using Members = std::map<std::string, PlainMember, std::less<>>;

// A cursor over a copy: it shows the collection as it was when the cursor was made.
class PlainMemberCursor final : public MemberCursor {
 public:
  PlainMemberCursor(const Members& all, const MemberRange& range, WallTime now) {
    for (const auto& [member, found] : all) {
      if (IsDead(found.deadline, now)) continue;
      if (!range.begin.empty() && Bytes(member) < range.begin) continue;
      if (!range.end.empty() && Bytes(member) >= range.end) continue;
      members_.emplace(member, found);
    }
    at_ = members_.end();
  }

  bool Valid() const override { return at_ != members_.end(); }
  void SeekToFirst() override { at_ = members_.begin(); }
  void SeekToLast() override {
    at_ = members_.empty() ? members_.end() : std::prev(members_.end());
  }
  void SeekAtOrAfter(Bytes target) override { at_ = members_.lower_bound(target); }
  void SeekAtOrBefore(Bytes target) override {
    at_ = members_.upper_bound(target);
    at_ = at_ == members_.begin() ? members_.end() : std::prev(at_);
  }
  void Next() override { ++at_; }
  void Prev() override { at_ = at_ == members_.begin() ? members_.end() : std::prev(at_); }
  Bytes member() const override { return at_->first; }
  Bytes value() const override { return at_->second.value; }
  std::optional<WallTime> deadline() const override { return at_->second.deadline; }
  Status status() const override { return {}; }

 private:
  Members members_;
  Members::const_iterator at_;
};

class PlainRowCursor final : public TransactionCursor {
 public:
  PlainRowCursor(PlainRows rows, std::string end) : rows_(std::move(rows)), end_(std::move(end)) {
    at_ = rows_.end();
  }

  bool Valid() const override { return at_ != rows_.end() && (end_.empty() || at_->first < end_); }
  void SeekToFirst() override { at_ = rows_.begin(); }
  void SeekAtOrAfter(Bytes target) override { at_ = rows_.lower_bound(target); }
  void Next() override { ++at_; }
  std::optional<Bytes> stopped_at() const override { return std::nullopt; }
  Bytes key() const override { return at_->first; }
  bool is_collection() const override { return at_->second.is_collection; }
  Bytes value() const override { return at_->second.value; }
  std::optional<WallTime> deadline() const override { return at_->second.deadline; }
  Status status() const override { return {}; }

 private:
  const PlainRows rows_;
  const std::string end_;
  PlainRows::const_iterator at_;
};

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Counts no further than `enough`: every call checks whether there are any, and collections of
// tests may be large.
std::uint64_t LivingMembers(const PlainRow& row, WallTime now, std::uint64_t enough = 1) {
  std::uint64_t living = 0;
  for (const auto& [name, member] : row.members) {
    if (living == enough) break;
    living += IsDead(member.deadline, now) ? 0u : 1u;
  }
  return living;
}

Result<std::optional<WallTime>> DeadlineFor(Lifetime lifetime, const PlainRow* old, WallTime now) {
  switch (lifetime.kind()) {
    case Lifetime::Kind::kFor:
      if (lifetime.ttl() <= Millis(0)) return Status::Invalid("a ttl must be more than zero");
      return std::optional(now + lifetime.ttl());
    case Lifetime::Kind::kUntil: return std::optional(lifetime.instant());
    case Lifetime::Kind::kKeep: return old != nullptr ? old->deadline : std::optional<WallTime>();
    case Lifetime::Kind::kDefault:
    case Lifetime::Kind::kForever: break;
  }
  return std::optional<WallTime>();
}

Status NoCollection() { return Status::NotFound("no such collection"); }

}  // namespace

class PlainTransaction::Space final : public TransactionKeyspace {
 public:
  Space(PlainTransaction& transaction, const Keyspace& keyspace)
      : transaction_(transaction), keyspace_(keyspace) {}

  Status Find(Bytes key, FoundRow& row) override {
    const PlainRow* const found = Living(key);
    row.exists = found != nullptr;
    row.is_collection = row.exists && found->is_collection;
    row.value = row.exists ? Bytes(found->value) : Bytes();
    row.deadline = row.exists ? found->deadline : std::nullopt;
    row.members = row.exists ? LivingMembers(*found, transaction_.now_, kAll) : 0;
    transaction_.read_counts_.Note(row.exists);
    return {};
  }

  Status Put(Bytes key, Bytes value, Lifetime lifetime) override {
    if (key.size() > kKeyBytesMax) return Status::Invalid("the key is too long");
    MAYFLY_TRY(const auto deadline, DeadlineFor(lifetime, Living(key), transaction_.now_));
    Store(key, {.value = std::string(value), .deadline = deadline, .members = {}, .sides = {}});
    return {};
  }

  Result<bool> Delete(Bytes key) override {
    const bool lived = Living(key) != nullptr;
    // Deleting a dead row changes nothing.
    if (lived) Erase(key);
    if (!lived && Rows().contains(key)) Rows().erase(std::string(key));
    return lived;
  }

  Result<bool> Evict(Bytes key) override {
    if (Living(key) == nullptr) return false;
    return Delete(key);
  }

  Result<bool> Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) override {
    PlainRow* const row = Living(key);
    MAYFLY_TRY(const auto fresh, DeadlineFor(lifetime, row, transaction_.now_));
    if (row == nullptr) return Status::NotFound();
    const WallTime before = row->deadline.value_or(WallTime::max());
    const WallTime after = fresh.value_or(WallTime::max());
    switch (condition) {
      case DeadlineIf::kAlways: break;
      case DeadlineIf::kNone:
        if (row->deadline) return false;
        break;
      case DeadlineIf::kPresent:
        if (!row->deadline) return false;
        break;
      case DeadlineIf::kLater:
        if (after <= before) return false;
        break;
      case DeadlineIf::kEarlier:
        if (after >= before) return false;
        break;
    }
    row->deadline = fresh;
    transaction_.Changed(keyspace_, key);
    if (IsDead(fresh, transaction_.now_)) Erase(key);
    return true;
  }

  Result<bool> PutAt(Bytes, Bytes, WallTime, Lifetime) override {
    return Status::Unsupported("plain maps have no timestamps");
  }
  Result<bool> DeleteAt(Bytes, WallTime) override {
    return Status::Unsupported("plain maps have no timestamps");
  }

  const Keyspace* keyspace() const override { return &keyspace_; }

  Status Copy(Bytes from, TransactionKeyspace& to_space, Bytes to) override {
    const PlainRow* const row = Living(from);
    if (row == nullptr) return Status::NotFound();
    static_cast<Space&>(to_space).Store(to, PlainRow(*row));
    return {};
  }

  Status Move(Bytes from, TransactionKeyspace& to_space, Bytes to) override {
    MAYFLY_RETURN_IF_ERROR(Copy(from, to_space, to));
    if (&to_space != this || from != to) Erase(from);
    return {};
  }

  Status MakeCollection(Bytes key, Bytes head, Lifetime lifetime) override {
    MAYFLY_TRY(const auto deadline, DeadlineFor(lifetime, Living(key), transaction_.now_));
    Store(key, {.is_collection = true,
                .value = std::string(head),
                .deadline = deadline,
                .fresh = true,
                .members = {},
                .sides = {}});
    return {};
  }

  Status SetHead(Bytes key, Bytes head) override {
    MAYFLY_TRY(PlainRow * row, Collection(key));
    row->value = std::string(head);
    transaction_.Changed(keyspace_, key);
    return {};
  }

  Status FindMember(Bytes key, Bytes member, FoundMember& found) override {
    return FindIn(key, &PlainRow::members, member, found);
  }
  Status FindSide(Bytes key, Bytes side, FoundMember& found) override {
    return FindIn(key, &PlainRow::sides, side, found);
  }

  Result<bool> PutMember(Bytes key, Bytes member, Bytes value, MemberLifetime lifetime,
                         bool /*known_new*/) override {
    MAYFLY_TRY(PlainRow * row, Collection(key));
    const auto old = row->members.find(member);
    const bool lived =
        old != row->members.end() && !IsDead(old->second.deadline, transaction_.now_);
    PlainMember fresh{.value = std::string(value), .deadline = std::nullopt};
    if (lifetime.kind() == MemberLifetime::Kind::kUntil) fresh.deadline = lifetime.instant();
    if (lifetime.kind() == MemberLifetime::Kind::kKeep && lived)
      fresh.deadline = old->second.deadline;
    row->members.insert_or_assign(std::string(member), std::move(fresh));
    AfterMembers(key, *row);
    return !lived;
  }

  Result<bool> RemoveMember(Bytes key, Bytes member) override {
    MAYFLY_TRY(PlainRow * row, Collection(key));
    const auto old = row->members.find(member);
    if (old == row->members.end() || IsDead(old->second.deadline, transaction_.now_)) return false;
    row->members.erase(old);
    AfterMembers(key, *row);
    return true;
  }

  Status PutSide(Bytes key, Bytes side, Bytes value) override {
    MAYFLY_TRY(PlainRow * row, Collection(key));
    row->sides.insert_or_assign(std::string(side), PlainMember{std::string(value), std::nullopt});
    return {};
  }
  Status RemoveSide(Bytes key, Bytes side) override {
    MAYFLY_TRY(PlainRow * row, Collection(key));
    if (const auto at = row->sides.find(side); at != row->sides.end()) row->sides.erase(at);
    return {};
  }

  Result<std::unique_ptr<MemberCursor>> NewMemberCursor(Bytes key, Part part,
                                                        const MemberRange& range) override {
    MAYFLY_TRY(const PlainRow* row, Collection(key));
    return std::unique_ptr<MemberCursor>(std::make_unique<PlainMemberCursor>(
        part == Part::kMembers ? row->members : row->sides, range, transaction_.now_));
  }

  // It passes over no dead rows, so no bound is ever reached.
  Result<std::unique_ptr<TransactionCursor>> NewCursor(const CursorOptions& options,
                                                       std::uint64_t /*dead_max*/) override {
    PlainRows living;
    for (const auto& [key, row] : Rows()) {
      if (Living(key) == nullptr || !Bytes(key).starts_with(options.prefix)) continue;
      if (!options.begin.empty() && Bytes(key) < options.begin) continue;
      if (options.filter == RowFilter::kMortal && !row.deadline) continue;
      if (options.filter == RowFilter::kImmortal && row.deadline) continue;
      living.emplace(key, row);
    }
    return std::unique_ptr<TransactionCursor>(
        std::make_unique<PlainRowCursor>(std::move(living), std::string(options.end)));
  }

  Result<std::optional<std::string>> MortalKey(std::uint64_t n) override {
    std::multimap<WallTime, std::string> by_deadline;
    for (const auto& [key, row] : Rows()) {
      if (Living(key) != nullptr && row.deadline) by_deadline.emplace(*row.deadline, key);
    }
    if (n >= by_deadline.size()) return std::optional<std::string>();
    return std::optional(std::next(by_deadline.begin(), static_cast<std::ptrdiff_t>(n))->second);
  }

  Result<std::uint64_t> Count() override {
    std::uint64_t count = 0;
    for (const auto& [key, row] : Rows()) count += Living(key) != nullptr ? 1u : 0u;
    return count;
  }

  Status Clear() override {
    Rows().clear();
    return {};
  }

  // Removes collections that got no member.
  void DropEmpty() {
    std::erase_if(Rows(), [&](const auto& row) {
      return row.second.is_collection && row.second.members.empty();
    });
  }

 private:
  PlainRows& Rows() { return transaction_.state_[&keyspace_]; }

  PlainRow* Living(Bytes key) {
    const auto at = Rows().find(key);
    if (at == Rows().end() || IsDead(at->second.deadline, transaction_.now_)) return nullptr;
    PlainRow& row = at->second;
    return row.is_collection && LivingMembers(row, transaction_.now_) == 0 ? nullptr : &row;
  }

  // A fresh one has no member yet.
  Result<PlainRow*> Collection(Bytes key) {
    const auto at = Rows().find(key);
    if (at == Rows().end() || IsDead(at->second.deadline, transaction_.now_)) return NoCollection();
    PlainRow& row = at->second;
    if (!row.is_collection) return Status::WrongType("the row is no collection");
    if (LivingMembers(row, transaction_.now_) == 0 && !row.fresh) return NoCollection();
    return &row;
  }

  Status FindIn(Bytes key, Members PlainRow::*part, Bytes member, FoundMember& found) {
    MAYFLY_TRY(const PlainRow* row, Collection(key));
    const auto at = (row->*part).find(member);
    found.exists = at != (row->*part).end() && !IsDead(at->second.deadline, transaction_.now_);
    found.value = found.exists ? Bytes(at->second.value) : Bytes();
    found.deadline = found.exists ? at->second.deadline : std::nullopt;
    return {};
  }

  void Store(Bytes key, PlainRow row) {
    transaction_.Changed(keyspace_, key);
    if (IsDead(row.deadline, transaction_.now_)) return Erase(key);
    Rows().insert_or_assign(std::string(key), std::move(row));
  }
  void Erase(Bytes key) {
    const auto at = Rows().find(key);
    if (at == Rows().end()) return;
    Rows().erase(at);
    transaction_.Changed(keyspace_, key);
  }
  void AfterMembers(Bytes key, PlainRow& row) {
    transaction_.Changed(keyspace_, key);
    row.fresh = false;
    if (LivingMembers(row, transaction_.now_) == 0) Erase(key);
  }

  PlainTransaction& transaction_;
  const Keyspace& keyspace_;
};

PlainTransaction::PlainTransaction(PlainState& state, WallTime now)
    : committed_(state), now_(now), state_(state) {}

PlainTransaction::~PlainTransaction() = default;

TransactionKeyspace& PlainTransaction::In(const Keyspace& keyspace) {
  auto& space = spaces_[&keyspace];
  if (space == nullptr) space = std::make_unique<Space>(*this, keyspace);
  return *space;
}

LatchedTransaction::Mark PlainTransaction::SetMark() {
  marks_.push_back({state_, changed_});
  return marks_.size() - 1;
}

void PlainTransaction::RollBack(Mark mark) {
  state_ = marks_[mark].state;
  changed_ = marks_[mark].changed;
  marks_.resize(mark + 1);
}

Status PlainTransaction::Commit() {
  for (const auto& [keyspace, space] : spaces_) space->DropEmpty();
  committed_ = state_;
  if (witness_ != nullptr) witness_->Committed();
  return {};
}

void PlainTransaction::Changed(const Keyspace& keyspace, Bytes key) {
  const auto same = [&](const ChangedKey& changed) {
    return changed.keyspace == &keyspace && changed.key == key;
  };
  if (std::none_of(changed_.begin(), changed_.end(), same)) {
    changed_.push_back({&keyspace, *changed_names_.emplace(key).first});
  }
}

}  // namespace mayfly::core
