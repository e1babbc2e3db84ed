#include "tests/core/model.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/checksum.h"
#include "tests/core/database_home.h"

namespace mayfly::core::suite {
namespace {

using AskedOrBad = std::optional<Asked>;  // Nothing: Invalid.

// The share of a ttl that the jitter takes depends on the key alone.
std::int64_t Jittered(std::int64_t ttl, const std::string& key, std::uint32_t permille) {
  __extension__ using Wide = __int128;
  const std::uint64_t share = Hash64(key, 0x6a69'7474'6572) % (permille + 1);
  const auto less =
      static_cast<std::int64_t>(static_cast<Wide>(ttl) * static_cast<Wide>(share) / 1000);
  return std::max<std::int64_t>(ttl - less, 1);
}

AskedOrBad Bounded(std::int64_t ttl, const KeyspacePolicy& policy) {
  Asked asked{Lifetime::Kind::kFor, ttl};
  if (policy.min_ttl) asked.ms = std::max(asked.ms, policy.min_ttl->count());
  if (policy.max_ttl) asked.ms = std::min(asked.ms, policy.max_ttl->count());
  asked.clamped = asked.ms != ttl;
  if (asked.clamped && policy.breach == PolicyBreach::kRefuse) return std::nullopt;
  return asked;
}

AskedOrBad ForEver(const KeyspacePolicy& policy) {
  if (!policy.require_ttl && !policy.max_ttl) return Asked{};
  if (policy.breach == PolicyBreach::kRefuse) return std::nullopt;
  const Millis ttl = policy.max_ttl ? *policy.max_ttl : *policy.default_ttl;
  return Asked{Lifetime::Kind::kFor, ttl.count(), true};
}

AskedOrBad Ask(const Lifetime& lifetime, const std::string& key, const KeyspacePolicy& policy,
               const ModelRow* living, const Asked* pending, WallTime now) {
  switch (lifetime.kind()) {
    case Lifetime::Kind::kKeep:
      if (pending != nullptr) return *pending;
      if (living != nullptr) {
        if (!living->deadline) return Asked{};
        return Asked{Lifetime::Kind::kUntil, ToMs(*living->deadline)};
      }
      [[fallthrough]];
    case Lifetime::Kind::kDefault:
      if (!policy.default_ttl) return ForEver(policy);
      return Asked{Lifetime::Kind::kFor,
                   Jittered(policy.default_ttl->count(), key, policy.jitter_permille)};
    case Lifetime::Kind::kForever: return ForEver(policy);
    case Lifetime::Kind::kFor: {
      if (lifetime.ttl().count() <= 0) return std::nullopt;
      AskedOrBad asked = Bounded(lifetime.ttl().count(), policy);
      if (asked) asked->ms = Jittered(asked->ms, key, policy.jitter_permille);
      return asked;
    }
    case Lifetime::Kind::kUntil: {
      // From 1973 to 5138.
      const std::int64_t instant = ToMs(lifetime.instant());
      if (instant < 100'000'000'000 || instant > 100'000'000'000'000) return std::nullopt;
      const Asked until{Lifetime::Kind::kUntil, instant};
      if (lifetime.instant() <= now) return until;
      const AskedOrBad bounded = Bounded((lifetime.instant() - now).count(), policy);
      return bounded && !bounded->clamped ? until : bounded;
    }
  }
  return std::nullopt;
}

bool Holds(const WriteCall& call, const ModelRow* living) {
  switch (call.condition) {
    case PutCondition::Kind::kAlways: return true;
    case PutCondition::Kind::kAbsent: return living == nullptr;
    case PutCondition::Kind::kPresent: return living != nullptr;
    case PutCondition::Kind::kEquals: return living != nullptr && living->value == call.expected;
  }
  return false;
}

bool Holds(DeadlineIf condition, const ModelRow& row, std::optional<WallTime> fresh) {
  // No deadline is later than any.
  const auto of = [](std::optional<WallTime> d) { return d ? ToMs(*d) : INT64_MAX; };
  switch (condition) {
    case DeadlineIf::kAlways: return true;
    case DeadlineIf::kNone: return !row.deadline;
    case DeadlineIf::kPresent: return row.deadline.has_value();
    case DeadlineIf::kLater: return of(fresh) > of(row.deadline);
    case DeadlineIf::kEarlier: return of(fresh) < of(row.deadline);
  }
  return false;
}

}  // namespace

ModelRows Living(const ModelRows& stored, WallTime now) {
  ModelRows living;
  for (const auto& [key, row] : stored) {
    if (IsAlive(row, now)) living.emplace_hint(living.end(), key, row);
  }
  return living;
}

std::optional<WallTime> NewestOf(const ModelPast& past, const std::string& key) {
  const auto found = past.find(key);
  if (found == past.end()) return std::nullopt;
  return found->second->rbegin()->first;
}

ModelRows AsOf(const ModelPast& past, WallTime as_of, WallTime now) {
  ModelRows rows;
  for (const auto& [key, words] : past) {
    const auto behind = words->upper_bound(as_of);
    if (behind == words->begin()) continue;
    const std::optional<ModelRow>& word = std::prev(behind)->second;
    if (word && IsAlive(*word, std::max(as_of, now))) rows[key] = *word;
  }
  return rows;
}

void ModelKeyspace::Say(const std::string& key, WallTime timestamp, std::optional<ModelRow> word) {
  auto& words = past[key];
  auto more =
      words != nullptr ? std::make_shared<ModelWords>(*words) : std::make_shared<ModelWords>();
  (*more)[timestamp] = std::move(word);
  words = std::move(more);
}

bool IsGoodTimestamp(WallTime timestamp, const KeyspacePolicy& policy, WallTime now) {
  const std::int64_t ms = ToMs(timestamp);
  if (ms < 100'000'000'000 || ms > 100'000'000'000'000) return false;
  return !policy.late_max ||
         (timestamp >= now - *policy.late_max && timestamp <= now + *policy.late_max);
}

std::optional<std::optional<WallTime>> DeadlineOf(const Asked& asked, WallTime now) {
  if (asked.kind == Lifetime::Kind::kForever) return std::optional<WallTime>();
  if (asked.kind == Lifetime::Kind::kUntil) return WallTimeFromMs(asked.ms);
  if (asked.ms > INT64_MAX - ToMs(now)) return std::nullopt;
  return now + Millis(asked.ms);
}

// A call that keeps the value. `decision`: as far as it is made.
Decision DecideDeadline(const WriteCall& call, const ModelRow& living,
                        const std::optional<WallTime>& deadline, Decision decision) {
  decision.draft.same_timestamp = true;
  decision.draft.value = living.value;
  if (call.kind == WriteCall::Kind::kTouch) {
    decision.answer.seen = living.value;
    decision.answer.deadline = deadline;
    decision.answer.timestamp = living.timestamp;
    return decision;
  }
  const DeadlineIf condition =
      call.kind == WriteCall::Kind::kPersist ? DeadlineIf::kPresent : call.deadline_if;
  decision.answer.flag = Holds(condition, living, deadline);
  if (!decision.answer.flag) decision.draft = {};
  return decision;
}

// The callback of an update appends, or deletes. `decision`: as far as it is made.
Decision DecideUpdate(const WriteCall& call, const ModelRow* living, Decision decision) {
  if (living != nullptr) decision.answer.seen = living->value;
  if (call.value.empty()) {
    decision.draft = {};
    if (living != nullptr) decision.draft.kind = ModelDraft::Kind::kDelete;
  } else if (living != nullptr) {
    decision.draft.value = living->value + call.value;
  }
  return decision;
}

Decision Decide(const WriteCall& call, const KeyspacePolicy& policy, const ModelRow* living,
                const Asked* pending, std::optional<WallTime> newest, WallTime now) {
  Decision decision;
  const auto answer = [&](StatusCode code) {
    decision = {.answer = {.code = code}, .draft = {}};
    return decision;
  };
  if (call.key.empty()) return answer(StatusCode::kInvalid);
  const bool stamped =
      call.kind == WriteCall::Kind::kPutAt || call.kind == WriteCall::Kind::kDeleteAt;
  if (stamped) {
    if (policy.order != RowOrder::kTimestamp || !IsGoodTimestamp(call.timestamp, policy, now)) {
      return answer(StatusCode::kInvalid);
    }
    decision.answer.flag = !newest || call.timestamp >= *newest;
    decision.draft.timestamp = call.timestamp;
  }
  if (call.kind == WriteCall::Kind::kDeleteAt) {
    decision.draft.kind = ModelDraft::Kind::kDelete;
    return decision;
  }
  if (call.kind == WriteCall::Kind::kDelete) {
    decision.answer.flag = living != nullptr;
    decision.draft.kind = ModelDraft::Kind::kDelete;
    return decision;
  }
  const bool changes_deadline_alone = call.kind == WriteCall::Kind::kExpire ||
                                      call.kind == WriteCall::Kind::kPersist ||
                                      call.kind == WriteCall::Kind::kTouch;
  const Lifetime lifetime =
      call.kind == WriteCall::Kind::kPersist ? Lifetime::Forever() : call.lifetime;
  if (changes_deadline_alone && lifetime.kind() == Lifetime::Kind::kKeep) {
    return answer(StatusCode::kInvalid);
  }
  const AskedOrBad asked = Ask(lifetime, call.key, policy, living, pending, now);
  const auto deadline = asked ? DeadlineOf(*asked, now) : std::nullopt;
  if (!deadline) return answer(StatusCode::kInvalid);
  decision.draft.kind = ModelDraft::Kind::kPut;
  decision.draft.value = call.value;
  decision.draft.asked = *asked;
  // The requested lifetime of a transaction's own row still counts from the commit.
  decision.draft.ttl_from_now =
      changes_deadline_alone || (lifetime.kind() == Lifetime::Kind::kKeep && pending != nullptr);
  if (changes_deadline_alone) {
    if (living == nullptr) return answer(StatusCode::kNotFound);
    return DecideDeadline(call, *living, *deadline, std::move(decision));
  }
  if (call.kind == WriteCall::Kind::kUpdate) return DecideUpdate(call, living, std::move(decision));
  if (call.kind == WriteCall::Kind::kPutIf) {
    decision.answer.flag = Holds(call, living);
    if (!decision.answer.flag) decision.draft = {};
  }
  return decision;
}

Model::Model() : now(kStart) { Create("default", {}); }

void Model::Create(const std::string& name, const KeyspacePolicy& policy) {
  ModelKeyspace& made = keyspaces[name] = {};
  made.id = next_id_++;
  made.policy = policy;
}

WriteAnswer Model::Write(const std::string& keyspace, const WriteCall& call) {
  const ModelKeyspace& here = keyspaces.at(keyspace);
  const auto found = here.stored.find(call.key);
  const bool alive = found != here.stored.end() && IsAlive(found->second, now);
  const Decision decision = Decide(call, here.policy, alive ? &found->second : nullptr, nullptr,
                                   NewestOf(here.past, call.key), now);
  Apply(keyspace, call.key, decision.draft);
  return decision.answer;
}

void Model::Apply(const std::string& keyspace, const std::string& key, const ModelDraft& draft) {
  if (draft.kind == ModelDraft::Kind::kNothing) return;
  ModelKeyspace& here = keyspaces.at(keyspace);
  ModelRow fresh;
  if (draft.kind == ModelDraft::Kind::kPut) {
    const auto deadline = DeadlineOf(draft.asked, draft.TtlFrom(now));
    MAYFLY_CHECK(deadline.has_value(), "a deadline past the end of time was let through");
    fresh = {draft.value, *deadline};
    if (draft.asked.clamped) ++statistics.clamped_lifetimes;
  }
  if (here.by_timestamp()) {
    const auto newest = NewestOf(here.past, key);
    const auto row = here.stored.find(key);
    const bool alive = row != here.stored.end() && IsAlive(row->second, now);
    if (draft.timestamp) {
      fresh.timestamp = draft.timestamp;
    } else if (draft.same_timestamp && alive) {
      fresh.timestamp = newest;
    } else {
      fresh.timestamp = std::max({now, newest.value_or(now), draft.not_before.value_or(now)});
    }
    here.Say(key, *fresh.timestamp,
             draft.kind == ModelDraft::Kind::kPut ? std::optional(fresh) : std::nullopt);
    if (newest && *fresh.timestamp < *newest) return;  // Late: the present does not change.
  }
  ModelRows& stored = here.stored;
  const auto old = stored.find(key);
  const bool old_is_dead = old != stored.end() && !IsAlive(old->second, now);
  if (old_is_dead) {
    RemoveDead(keyspace, key, EventCause::kReplaced);
  } else if (old != stored.end()) {
    stored.erase(old);
  }
  if (draft.kind == ModelDraft::Kind::kDelete) return;
  if (IsAlive(fresh, now)) {
    stored[key] = fresh;
  } else if (!old_is_dead) {
    AddEvent(keyspace, key, *fresh.deadline, draft.value, EventCause::kBornDead);
  }
}

void Model::MeetOnRead(const std::string& keyspace, const std::string& key) {
  const ModelRows& stored = keyspaces.at(keyspace).stored;
  const auto found = stored.find(key);
  if (!may_delete || found == stored.end() || IsAlive(found->second, now)) return;
  RemoveDead(keyspace, key, EventCause::kRead);
  ++statistics.purged_by_reads;
}

void Model::Purge() {
  for (const auto& [name, keyspace] : keyspaces) {
    while (PurgeNext(name)) {
    }
  }
}

bool Model::PurgeNext(const std::string& keyspace) {
  if (!may_delete) return false;
  const ModelRows& stored = keyspaces.at(keyspace).stored;
  auto next = stored.end();
  for (auto row = stored.begin(); row != stored.end(); ++row) {
    if (IsAlive(row->second, now)) continue;
    if (next == stored.end() || *row->second.deadline < *next->second.deadline) next = row;
  }
  if (next == stored.end()) return false;
  RemoveDead(keyspace, std::string(next->first), EventCause::kPurged);
  return true;
}

std::uint64_t Model::Trim(const EventTrim& trim) {
  const std::size_t before = events.size();
  std::size_t index = 0;
  std::size_t last = 0;  // One past the last event that a condition selects: no gap is left.
  for (const Event& event : events) {
    ++index;
    const bool goes = (trim.through_sequence && event.sequence <= *trim.through_sequence) ||
                      (trim.keep_newest && before - (index - 1) > *trim.keep_newest) ||
                      (trim.older_than && may_delete && now - event.purged_at > *trim.older_than);
    if (goes) last = index;
  }
  // The bound counts sequences from the oldest on, those that a promise trimmed included.
  while (last > 0 && trim.events_max &&
         events[last - 1].sequence - events.front().sequence >= *trim.events_max) {
    --last;
  }
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(last));
  return last;
}

Model::StatesById Model::States() const {
  StatesById states;
  for (const auto& [name, keyspace] : keyspaces) states[keyspace.id] = keyspace;
  return states;
}

const std::string* Model::NameOf(std::uint32_t id) const {
  for (const auto& [name, keyspace] : keyspaces) {
    if (keyspace.id == id) return &name;
  }
  return nullptr;
}

void Model::RemoveDead(const std::string& keyspace, const std::string& key, EventCause cause) {
  ModelRows& stored = keyspaces.at(keyspace).stored;
  const auto row = stored.find(key);
  AddEvent(keyspace, key, *row->second.deadline, row->second.value, cause);
  stored.erase(row);
  ++statistics.purged_rows;
}

void Model::AddEvent(const std::string& keyspace, const std::string& key, WallTime deadline,
                     const std::string& value, EventCause cause) {
  const ModelKeyspace& here = keyspaces.at(keyspace);
  if (here.policy.events == EventDetail::kOff) return;
  Event event{.sequence = ++last_sequence,
              .keyspace = here.id,
              .keyspace_name = keyspace,
              .key = key,
              .deadline = deadline,
              .purged_at = now,
              .cause = cause,
              .value = std::nullopt};
  if (here.policy.events == EventDetail::kKeyAndValue) event.value = value;
  events.push_back(event);
  fresh_events.push_back(std::move(event));
}

}  // namespace mayfly::core::suite
