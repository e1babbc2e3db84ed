#include "core/latched_player.h"

#include <algorithm>
#include <set>

#include "core/each_engine.h"
#include "core/new_database.h"
#include "core/optimistic_transaction.h"
#include "core/store/store_of.h"

namespace mayfly {
namespace {

constexpr std::size_t kKeyspaces = 2;
constexpr std::size_t kKeys = 6;
constexpr std::size_t kMembers = 12;

DatabaseOptions Options() { return {.clock_jump_max = std::chrono::hours(24 * 365)}; }

template <typename T>
void ExpectSame(const Result<T>& real, const Result<T>& plain, const std::string& what) {
  ASSERT_EQ(CodeOf(real), CodeOf(plain))
      << what << ": " << real.status().ToString() << " and " << plain.status().ToString();
  if (real) {
    EXPECT_EQ(*real, *plain) << what;
  }
}

void ExpectSame(const Status& real, const Status& plain, const std::string& what) {
  EXPECT_EQ(CodeOf(real), CodeOf(plain)) << what << ": " << real.ToString();
}

}  // namespace

LatchedPlayer::LatchedPlayer(EngineKind kind, TransactionKind transactions, std::uint64_t seed)
    : transactions_(transactions), random_(seed), home_(kind, Options()) {
  for (std::size_t i = 0; i < kKeyspaces; ++i) {
    EXPECT_TRUE(home_.database().CreateKeyspace(std::to_string(i)).has_value());
  }
  OpenKeyspaces();
}

LatchedPlayer::~LatchedPlayer() = default;

void LatchedPlayer::OpenKeyspaces() {
  core::PlainState moved;
  for (std::size_t i = 0; i < kKeyspaces; ++i) {
    auto opened = home_.database().OpenKeyspace(std::to_string(i));
    ASSERT_TRUE(opened.has_value());
    if (keyspaces_.size() <= i) keyspaces_.push_back(*opened);
    moved[opened->get()] = std::move(state_[keyspaces_[i].get()]);
    keyspaces_[i] = *std::move(opened);
  }
  state_ = std::move(moved);
}

void LatchedPlayer::Step() {
  PlayTransaction();
  if (random_.OneIn(3)) Upkeep();
}

void LatchedPlayer::Upkeep() {
  Database& database = home_.database();
  switch (random_.Below(12)) {
    case 0:
    case 1: ASSERT_EQ(CodeOf(database.Purge({})), kOk); break;
    case 2: ASSERT_EQ(CodeOf(database.Purge({.rows_max = random_.Between(1, 5)})), kOk); break;
    case 3: {
      auto reaper = database.StartReaper({.step_rows_max = 3, .work_percent = 100});
      ASSERT_TRUE(reaper.has_value());
      (*reaper)->AwaitIdle();
      break;
    }
    case 4:
      if (random_.OneIn(10)) home_.ReclaimEverything();
      break;
    case 5:
      if (!home_.persistent() || !random_.OneIn(10)) break;
      home_.Reopen();
      OpenKeyspaces();
      break;
    case 6:
      if (random_.OneIn(5)) home_.ExpectClean();
      break;
    case 7: {
      // The library's own calls, on rows that may be collections.
      const std::size_t i = SomeSpace();
      const std::string key = "k" + SomeKey();
      auto& rows = state_[keyspaces_[i].get()];
      ASSERT_EQ(CodeOf(keyspaces_[i]->Put(key, "library")), kOk);
      rows.insert_or_assign(
          key, core::PlainRow{.value = "library", .deadline = {}, .members = {}, .sides = {}});
      break;
    }
    default: home_.clock().Advance(Millis(static_cast<int>(random_.Below(40)))); break;
  }
}

void LatchedPlayer::PlayTransaction() {
  core::KeySet scope;
  scope_.clear();
  marks_.clear();
  cleared_ = false;
  scope.everything = random_.OneIn(3);
  if (!scope.everything) {
    for (std::uint64_t i = random_.Between(1, 4); i > 0; --i) {
      scope_.emplace_back(SomeSpace(), SomeKey());
    }
    for (const auto& [space, key] : scope_) scope.keys.push_back({keyspaces_[space].get(), key});
  }
  // Some transactions stage members ahead of their row.
  core::DraftBounds& bounds = core::StoreOf(home_.database()).draft_bounds();
  bounds.parts_max = random_.OneIn(2) ? 2 : 1000;
  // Members move out of their row at any size.
  constexpr std::size_t kPacked[] = {0, 24, 48, core::kPackedBytesMax};
  bounds.packed_bytes_max = kPacked[random_.Below(std::size(kPacked))];
  scope.walks = true;
  Begin(scope);
  plain_ = std::make_unique<core::PlainTransaction>(state_, home_.clock().Now());
  ASSERT_EQ(real_->now(), plain_->now());
  for (std::uint64_t i = random_.Below(12); i > 0; --i) PlayCall();
  CompareChanged();
  // A purge is no change that a transaction conflicts with.
  if (is_optimistic() && random_.OneIn(3)) {
    ASSERT_EQ(CodeOf(home_.database().Purge({})), kOk);
  }
  if (!random_.OneIn(8)) {
    ExpectSame(real_->Commit(), plain_->Commit(), "Commit");
  }
  real_.reset();
  plain_.reset();
}

void LatchedPlayer::Begin(const core::KeySet& scope) {
  if (is_optimistic()) {
    auto begun = home_.database().Begin();
    ASSERT_TRUE(begun.has_value()) << begun.status().ToString();
    real_ = std::make_unique<OptimisticTransaction>(*std::move(begun));
    return;
  }
  auto begun = core::BeginLatched(home_.database(), scope);
  ASSERT_TRUE(begun.has_value()) << begun.status().ToString();
  real_ = *std::move(begun);
}

void LatchedPlayer::PlayCall() {
  ++calls_;
  std::size_t space = SomeSpace();
  std::string key = SomeKey();
  if (!scope_.empty()) std::tie(space, key) = scope_[random_.Below(scope_.size())];
  const Both in = In(space);
  switch (random_.Below(24)) {
    case 0: marks_.emplace_back(real_->SetMark(), plain_->SetMark()); return;
    case 1: {
      if (marks_.empty() || !random_.OneIn(2)) return;
      const std::size_t to = random_.Below(marks_.size());
      if (random_.OneIn(3)) {
        real_->Release(marks_[to].first);
        plain_->Release(marks_[to].second);
        marks_.resize(to);
        return;
      }
      real_->RollBack(marks_[to].first);
      plain_->RollBack(marks_[to].second);
      marks_.resize(to + 1);
      return;
    }
    case 2:
      if (is_optimistic() || !scope_.empty() || !random_.OneIn(10)) return;
      cleared_ = true;
      ExpectSame(in.real.Clear(), in.plain.Clear(), "Clear");
      return;
    case 3: return ExpectSame(in.real.Count(), in.plain.Count(), "Count");
    case 4: return WalkRows(in);
    case 5:
    case 6: return CompareRow(in, key);
    case 7:
    case 8: return WalkMembers(in, key);
    case 9: return random_.OneIn(2) ? Copy(in, key) : Move(in, key);
    case 10:
    case 11:
    case 12: return CallOnRow(in, key);
    case 13:
    case 14: return CallOnCollection(in, key);
    default: return CallOnMember(in, key);
  }
}

void LatchedPlayer::CallOnRow(const Both& in, const std::string& key) {
  const Lifetime lifetime = SomeLifetime();
  switch (random_.Below(4)) {
    case 0: {
      const std::string value = SomeValue();
      return ExpectSame(in.real.Put(key, value, lifetime), in.plain.Put(key, value, lifetime),
                        "Put " + key);
    }
    case 1:
      if (random_.OneIn(3)) {
        return ExpectSame(in.real.Evict(key), in.plain.Evict(key), "Evict " + key);
      }
      return ExpectSame(in.real.Delete(key), in.plain.Delete(key), "Delete " + key);
    default: {
      if (lifetime.kind() == Lifetime::Kind::kKeep) return;
      const auto condition = static_cast<DeadlineIf>(random_.Below(5));
      return ExpectSame(in.real.Expire(key, lifetime, condition),
                        in.plain.Expire(key, lifetime, condition), "Expire " + key);
    }
  }
}

void LatchedPlayer::CallOnCollection(const Both& in, const std::string& key) {
  if (random_.OneIn(3)) {
    const std::string head = SomeValue();
    return ExpectSame(in.real.SetHead(key, head), in.plain.SetHead(key, head), "SetHead " + key);
  }
  core::FoundRow found;
  ASSERT_EQ(CodeOf(in.plain.Find(key, found)), kOk);
  if (found.is_collection && !random_.OneIn(10)) return;  // They should grow.
  const Lifetime lifetime = random_.OneIn(2) ? Lifetime::Forever() : SomeLifetime();
  const std::string head = SomeValue();
  ExpectSame(in.real.MakeCollection(key, head, lifetime),
             in.plain.MakeCollection(key, head, lifetime), "MakeCollection " + key);
  if (!random_.OneIn(5)) PutMember(in, key, SomeMember());
}

void LatchedPlayer::CallOnMember(const Both& in, const std::string& key) {
  const std::string member = SomeMember();
  switch (random_.Below(10)) {
    case 0: return CompareMember(in, key, member);
    case 1: {
      const std::string value = SomeValue();
      return ExpectSame(in.real.PutSide(key, member, value), in.plain.PutSide(key, member, value),
                        "PutSide " + key);
    }
    case 2:
      return ExpectSame(in.real.RemoveSide(key, member), in.plain.RemoveSide(key, member),
                        "RemoveSide " + key);
    case 3:
    case 4:
      return ExpectSame(in.real.RemoveMember(key, member), in.plain.RemoveMember(key, member),
                        "RemoveMember " + key);
    default: return PutMember(in, key, member);
  }
}

void LatchedPlayer::PutMember(const Both& in, const std::string& key, const std::string& member) {
  core::FoundMember found;
  const bool is_new = in.plain.FindMember(key, member, found).ok() && !found.exists;
  const bool say_so = is_new && random_.OneIn(2);
  core::MemberLifetime lifetime = core::MemberLifetime::Forever();
  if (random_.OneIn(2)) lifetime = core::MemberLifetime::Until(SomeInstant());
  if (random_.OneIn(4)) lifetime = core::MemberLifetime::Keep();
  const std::string value = SomeValue();
  ExpectSame(in.real.PutMember(key, member, value, lifetime, say_so),
             in.plain.PutMember(key, member, value, lifetime, say_so), "PutMember " + key);
}

void LatchedPlayer::Copy(const Both& in, const std::string& key) {
  std::size_t space = SomeSpace();
  std::string to = SomeKey();
  if (!scope_.empty()) std::tie(space, to) = scope_[random_.Below(scope_.size())];
  const Both other = In(space);
  ExpectSame(in.real.Copy(key, other.real, to), in.plain.Copy(key, other.plain, to),
             "Copy " + key + " to " + to);
}

void LatchedPlayer::Move(const Both& in, const std::string& key) {
  std::size_t space = SomeSpace();
  std::string to = SomeKey();
  if (!scope_.empty()) std::tie(space, to) = scope_[random_.Below(scope_.size())];
  const Both other = In(space);
  ExpectSame(in.real.Move(key, other.real, to), in.plain.Move(key, other.plain, to),
             "Move " + key + " to " + to);
}

void LatchedPlayer::CompareRow(const Both& in, const std::string& key) {
  core::FoundRow real;
  core::FoundRow plain;
  ExpectSame(in.real.Find(key, real), in.plain.Find(key, plain), "Find " + key);
  EXPECT_EQ(real.exists, plain.exists) << key;
  EXPECT_EQ(real.is_collection, plain.is_collection) << key;
  EXPECT_EQ(real.value, plain.value) << key;
  EXPECT_EQ(real.deadline, plain.deadline) << key;
  EXPECT_EQ(real.members, plain.members) << key;
}

void LatchedPlayer::CompareMember(const Both& in, const std::string& key,
                                  const std::string& member) {
  core::FoundMember real;
  core::FoundMember plain;
  const bool side = random_.OneIn(3);
  const auto find = [&](core::TransactionKeyspace& space, core::FoundMember& found) {
    return side ? space.FindSide(key, member, found) : space.FindMember(key, member, found);
  };
  ExpectSame(find(in.real, real), find(in.plain, plain), "FindMember " + key);
  EXPECT_EQ(real.exists, plain.exists) << key << " " << member;
  EXPECT_EQ(real.value, plain.value) << key << " " << member;
  EXPECT_EQ(real.deadline, plain.deadline) << key << " " << member;
}

void LatchedPlayer::CompareChanged() {
  if (cleared_ || is_optimistic()) return;
  const auto keys_of = [](const core::LatchedTransaction& transaction) {
    std::set<std::pair<const Keyspace*, std::string>> keys;
    for (const core::ChangedKey& changed : transaction.changed())
      keys.emplace(changed.keyspace, changed.key);
    EXPECT_EQ(keys.size(), transaction.changed().size());
    return keys;
  };
  EXPECT_EQ(keys_of(*real_), keys_of(*plain_));
}

void LatchedPlayer::CompareAll() {
  scope_.clear();
  Begin({.everything = true});
  plain_ = std::make_unique<core::PlainTransaction>(state_, home_.clock().Now());
  for (std::size_t i = 0; i < keyspaces_.size(); ++i) {
    const Both in = In(i);
    ExpectSame(in.real.Count(), in.plain.Count(), "Count");
    for (std::uint64_t k = 0; k < 4 * kKeys; ++k) {
      WalkRows(in);
      const std::string key = SomeKey();
      CompareRow(in, key);
      WalkMembers(in, key);
    }
  }
  real_.reset();
  plain_.reset();
}

void LatchedPlayer::ExpectNothingLeftOver() {
  home_.clock().Advance(std::chrono::hours(1));
  ASSERT_EQ(CodeOf(home_.database().Purge({})), kOk);
  const WallTime now = home_.clock().Now();
  std::uint64_t expected = 0;
  for (const auto& [keyspace, rows] : state_) {
    for (const auto& [key, row] : rows) {
      std::uint64_t living = 0;
      for (const auto& [name, member] : row.members) living += member.deadline ? 0u : 1u;
      const bool dead = row.deadline && *row.deadline <= now;
      if (!dead && living > 0) expected += living + row.sides.size();
    }
  }
  const auto report = home_.database().Check();
  ASSERT_TRUE(report.has_value()) << report.status().ToString();
  EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
  EXPECT_EQ(report->members, expected);
  EXPECT_EQ(report->entries, 0u);
}

LatchedPlayer::Both LatchedPlayer::In(std::size_t space) {
  const Keyspace& keyspace = *keyspaces_[space];
  return {real_->In(keyspace), plain_->In(keyspace), &keyspace};
}

// One of them is empty, where that is allowed, and one has bytes that are escaped in keys of
// members.
std::string LatchedPlayer::SomeKey() {
  const std::uint64_t i = random_.Below(kKeys);
  if (i == 0 && !is_optimistic()) return "";
  return i == 1 ? std::string("k\0\1\3", 4) : "k" + std::to_string(i);
}

std::string LatchedPlayer::SomeMember() {
  const std::uint64_t i = random_.Below(kMembers);
  if (i == 0) return "";
  return i == 1 ? std::string("\0\xff\1", 3) : "m" + std::to_string(i);
}

std::string LatchedPlayer::SomeValue() { return std::to_string(random_.Below(1000)); }

WallTime LatchedPlayer::SomeInstant() {
  return home_.clock().Now() + Millis(static_cast<int>(random_.Below(60)) - 5);
}

Lifetime LatchedPlayer::SomeLifetime() {
  switch (random_.Below(6)) {
    case 0: return Lifetime::Default();
    case 1: return Lifetime::For(Millis(static_cast<int>(random_.Below(60))));
    case 2: return Lifetime::Until(SomeInstant());
    case 3: return Lifetime::Keep();
    default: return Lifetime::Forever();
  }
}

}  // namespace mayfly
