// The public handles of mayfly/types.h. Each call opens the collection anew, so that it sees what
// the transaction did to the key in other ways.
#include <algorithm>
#include <cmath>

#include "core/layout/liveness.h"
#include "mayfly/types.h"
#include "types/hash.h"
#include "types/list.h"
#include "types/member_key.h"
#include "types/member_page.h"
#include "types/set.h"
#include "types/sorted_set.h"
#include "types/streams/stream.h"

namespace mayfly {
namespace {

template <typename Type>
Result<Type> OpenIn(Transaction& transaction, const Keyspace& keyspace, const std::string& key) {
  return Type::Open(core::SpaceOf(transaction, keyspace), key);
}

// Positions and ranks are signed below.
std::int64_t Clamped(std::uint64_t n) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(n, kMax));
}

Status NoSuchPosition() { return Status::NotFound("the list has no such position"); }

Status CheckScore(double score) {
  if (!std::isnan(score)) return {};
  return Status::Invalid("nan is no score");
}

}  // namespace

Result<std::uint64_t> Hash::Size() const {
  MAYFLY_TRY(const auto hash, OpenIn<types::Hash>(*transaction_, *keyspace_, key_));
  return hash.size();
}

Result<Hash::Field> Hash::Get(Bytes field) const {
  MAYFLY_TRY(const auto hash, OpenIn<types::Hash>(*transaction_, *keyspace_, key_));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
  if (!found.exists) return Status::NotFound();
  return Field{std::string(field), std::string(found.value), found.deadline};
}

Result<bool> Hash::Put(Bytes field, Bytes value, Lifetime lifetime) {
  MAYFLY_TRY(auto hash, OpenIn<types::Hash>(*transaction_, *keyspace_, key_));
  MAYFLY_TRY(const auto of_field, core::MemberLifetimeOf(*transaction_, lifetime));
  if (of_field.kind() == core::MemberLifetime::Kind::kUntil &&
      core::IsDead(of_field.instant(), transaction_->now())) {
    MAYFLY_RETURN_IF_ERROR(hash.Remove(field).status());
    return false;
  }
  return hash.Put(field, value, of_field);
}

Result<bool> Hash::Expire(Bytes field, Lifetime lifetime) {
  if (lifetime.kind() == Lifetime::Kind::kKeep) {
    return Status::Invalid("keeping the deadline is no change of it; name another lifetime");
  }
  const auto found = Get(field);
  if (found.status().IsNotFound()) return false;
  MAYFLY_RETURN_IF_ERROR(found.status());
  MAYFLY_RETURN_IF_ERROR(Put(field, found->value, lifetime).status());
  return true;
}

Result<bool> Hash::Remove(Bytes field) {
  MAYFLY_TRY(auto hash, OpenIn<types::Hash>(*transaction_, *keyspace_, key_));
  return hash.Remove(field);
}

std::optional<std::string> Hash::FieldOf(const Event& event) {
  if (!event.member) return std::nullopt;
  if (const auto entry = types::Stream::EntryOf(*event.member)) return types::ToText(*entry);
  return std::string(types::NameOfMember(*event.member));
}

Result<Hash::Page> Hash::Read(std::uint64_t from, std::uint64_t count) const {
  MAYFLY_TRY(const auto hash, OpenIn<types::Hash>(*transaction_, *keyspace_, key_));
  Page page;
  if (hash.empty()) return page;
  core::TransactionKeyspace& space = core::SpaceOf(*transaction_, *keyspace_);
  MAYFLY_TRY(page.next,
             types::WalkPage(space, key_, from, std::max<std::uint64_t>(count, 1),
                             [&](Bytes name, Bytes value) {
                               page.fields.push_back({std::string(name), std::string(value), {}});
                             }));
  for (Field& field : page.fields) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(field.name, found));
    field.deadline = found.deadline;
  }
  return page;
}

Result<std::uint64_t> List::Size() const {
  MAYFLY_TRY(const auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  return list.size();
}

namespace {

Status Push(Result<types::List> list, types::ListEnd end, Bytes value) {
  MAYFLY_RETURN_IF_ERROR(list.status());
  const Bytes values[] = {value};
  return list->Push(end, values);
}

Result<std::string> Pop(Result<types::List> list, types::ListEnd end) {
  MAYFLY_RETURN_IF_ERROR(list.status());
  if (list->empty()) return Status::NotFound("the list is empty");
  MAYFLY_TRY(auto values, list->Pop(end, 1));
  return std::move(values.front());
}

}  // namespace

Status List::PushFront(Bytes value) {
  return Push(OpenIn<types::List>(*transaction_, *keyspace_, key_), types::ListEnd::kHead, value);
}

Status List::PushBack(Bytes value) {
  return Push(OpenIn<types::List>(*transaction_, *keyspace_, key_), types::ListEnd::kTail, value);
}

Result<std::string> List::PopFront() {
  return Pop(OpenIn<types::List>(*transaction_, *keyspace_, key_), types::ListEnd::kHead);
}

Result<std::string> List::PopBack() {
  return Pop(OpenIn<types::List>(*transaction_, *keyspace_, key_), types::ListEnd::kTail);
}

Result<std::string> List::Get(std::uint64_t position) const {
  MAYFLY_TRY(const auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  if (position >= list.size()) return NoSuchPosition();
  return list.At(position);
}

Status List::Set(std::uint64_t position, Bytes value) {
  MAYFLY_TRY(auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  if (position >= list.size()) return NoSuchPosition();
  return list.Set(position, value);
}

Status List::Remove(std::uint64_t position) {
  MAYFLY_TRY(auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  if (position >= list.size()) return NoSuchPosition();
  const std::uint64_t positions[] = {position};
  return list.Remove(positions);
}

Status List::Insert(std::uint64_t position, Bytes value) {
  MAYFLY_TRY(auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  if (position > list.size()) return NoSuchPosition();
  if (position == list.size()) return PushBack(value);
  return list.Insert(position, value);
}

Status List::Trim(std::uint64_t begin, std::uint64_t end) {
  MAYFLY_TRY(auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  if (list.empty()) return {};
  end = std::min(end, list.size());
  return list.Trim(std::min(begin, end), end);
}

Result<std::vector<std::string>> List::Read(std::uint64_t position, std::uint64_t count) const {
  MAYFLY_TRY(const auto list, OpenIn<types::List>(*transaction_, *keyspace_, key_));
  std::vector<std::string> values;
  if (position >= list.size() || count == 0) return values;
  MAYFLY_RETURN_IF_ERROR(list.WalkToTail(position, [&](std::uint64_t, Bytes value) {
    values.emplace_back(value);
    return values.size() < count;
  }));
  return values;
}

Result<std::uint64_t> Set::Size() const {
  MAYFLY_TRY(const auto set, OpenIn<types::Set>(*transaction_, *keyspace_, key_));
  return set.size();
}

Result<bool> Set::Contains(Bytes name) const {
  MAYFLY_TRY(const auto set, OpenIn<types::Set>(*transaction_, *keyspace_, key_));
  return set.Contains(name);
}

Result<bool> Set::Add(Bytes name) {
  MAYFLY_TRY(auto set, OpenIn<types::Set>(*transaction_, *keyspace_, key_));
  return set.Add(name);
}

Result<bool> Set::Remove(Bytes name) {
  MAYFLY_TRY(auto set, OpenIn<types::Set>(*transaction_, *keyspace_, key_));
  return set.Remove(name);
}

Result<Set::Page> Set::Read(std::uint64_t from, std::uint64_t count) const {
  MAYFLY_TRY(const auto set, OpenIn<types::Set>(*transaction_, *keyspace_, key_));
  Page page;
  if (set.empty()) return page;
  core::TransactionKeyspace& space = core::SpaceOf(*transaction_, *keyspace_);
  MAYFLY_TRY(page.next, types::WalkPage(space, key_, from, std::max<std::uint64_t>(count, 1),
                                        [&](Bytes name, Bytes) { page.names.emplace_back(name); }));
  return page;
}

Result<std::uint64_t> SortedSet::Size() const {
  MAYFLY_TRY(const auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  return set.size();
}

Result<double> SortedSet::Score(Bytes name) const {
  MAYFLY_TRY(const auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  MAYFLY_TRY(const auto score, set.Score(name));
  if (!score) return Status::NotFound();
  return *score;
}

Result<std::uint64_t> SortedSet::Rank(Bytes name) const {
  MAYFLY_TRY(const auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  MAYFLY_TRY(const auto rank, set.RankOf(name));
  if (!rank) return Status::NotFound();
  return rank->rank;
}

Result<bool> SortedSet::Put(Bytes name, double score) {
  MAYFLY_RETURN_IF_ERROR(CheckScore(score));
  MAYFLY_TRY(auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  MAYFLY_TRY(const types::ScoreOutcome outcome, set.Put(name, score));
  return outcome.added;
}

Result<double> SortedSet::Increment(Bytes name, double by) {
  MAYFLY_RETURN_IF_ERROR(CheckScore(by));
  MAYFLY_TRY(auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  MAYFLY_TRY(const types::ScoreOutcome outcome, set.Put(name, by, {.increment = true}));
  return outcome.score;
}

Result<bool> SortedSet::Remove(Bytes name) {
  MAYFLY_TRY(auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  return set.Remove(name);
}

namespace {

Result<std::vector<SortedSet::Member>> Shown(const Result<types::SortedSet>& set,
                                             const types::RangeQuery& query) {
  MAYFLY_RETURN_IF_ERROR(set.status());
  std::vector<SortedSet::Member> members;
  if (set->empty()) return members;
  MAYFLY_RETURN_IF_ERROR(set->Walk(query, [&](Bytes name, double score) {
    members.push_back({std::string(name), score});
  }));
  return members;
}

Result<std::vector<SortedSet::Member>> Taken(Result<types::SortedSet> set, std::uint64_t count,
                                             bool reverse) {
  MAYFLY_RETURN_IF_ERROR(set.status());
  std::vector<SortedSet::Member> members;
  if (set->empty() || count == 0) return members;
  const types::RankRange range{.first = 0, .last = Clamped(count) - 1};
  MAYFLY_TRY(auto taken, set->Take({.range = range, .reverse = reverse}));
  for (types::ScoredName& one : taken) members.push_back({std::move(one.name), one.score});
  return members;
}

}  // namespace

Result<std::vector<SortedSet::Member>> SortedSet::ByRank(std::uint64_t first, std::uint64_t count,
                                                         Order order) const {
  if (count == 0) return std::vector<Member>();
  const std::int64_t begin = Clamped(first);
  const std::uint64_t room = static_cast<std::uint64_t>(Clamped(UINT64_MAX) - begin);
  const types::RankRange range{.first = begin, .last = begin + Clamped(std::min(count - 1, room))};
  return Shown(OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_),
               {.range = range, .reverse = order == Order::kDescending});
}

Result<std::vector<SortedSet::Member>> SortedSet::ByScore(double min, double max, Order order,
                                                          std::uint64_t count) const {
  MAYFLY_RETURN_IF_ERROR(CheckScore(min));
  MAYFLY_RETURN_IF_ERROR(CheckScore(max));
  return Shown(OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_),
               {.range = types::ScoreRange{min, max},
                .reverse = order == Order::kDescending,
                .limit = Clamped(count)});
}

Result<std::uint64_t> SortedSet::CountByScore(double min, double max) const {
  MAYFLY_RETURN_IF_ERROR(CheckScore(min));
  MAYFLY_RETURN_IF_ERROR(CheckScore(max));
  MAYFLY_TRY(const auto set, OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_));
  if (set.empty()) return std::uint64_t{0};
  return set.Count({.range = types::ScoreRange{min, max}});
}

Result<std::vector<SortedSet::Member>> SortedSet::PopLowest(std::uint64_t count) {
  return Taken(OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_), count, false);
}

Result<std::vector<SortedSet::Member>> SortedSet::PopHighest(std::uint64_t count) {
  return Taken(OpenIn<types::SortedSet>(*transaction_, *keyspace_, key_), count, true);
}

}  // namespace mayfly
