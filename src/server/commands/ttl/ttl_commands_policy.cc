// ttl_commands_policy.cc - TTL.POLICY: the keyspace policy of a database; see
// include/mayfly/policy.h.
// A table of fields, each with a function to show and one to set it.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/keyspaces/lifetime_rule.h"
#include "mayfly/keyspace.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_cursor.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

using OptionalMillis = std::optional<Millis> KeyspacePolicy::*;

template <OptionalMillis kMember>
std::string ShowMillis(const KeyspacePolicy& policy) {
  return policy.*kMember ? std::to_string((policy.*kMember)->count()) : "none";
}

template <OptionalMillis kMember>
bool SetMillis(KeyspacePolicy& policy, Bytes value) {
  if (IsWord(value, "none")) {
    policy.*kMember = std::nullopt;
    return true;
  }
  const auto ms = IntegerArgument(value);
  if (!ms || *ms < 1) return false;
  policy.*kMember = Millis(*ms);
  return true;
}

std::string ShowRequire(const KeyspacePolicy& policy) { return policy.require_ttl ? "yes" : "no"; }

bool SetRequire(KeyspacePolicy& policy, Bytes value) {
  if (!IsWord(value, "yes") && !IsWord(value, "no")) return false;
  policy.require_ttl = IsWord(value, "yes");
  return true;
}

std::string ShowBreach(const KeyspacePolicy& policy) {
  return policy.breach == PolicyBreach::kRefuse ? "refuse" : "clamp";
}

bool SetBreach(KeyspacePolicy& policy, Bytes value) {
  if (!IsWord(value, "refuse") && !IsWord(value, "clamp")) return false;
  policy.breach = IsWord(value, "refuse") ? PolicyBreach::kRefuse : PolicyBreach::kClamp;
  return true;
}

std::string ShowJitter(const KeyspacePolicy& policy) {
  return std::to_string(policy.jitter_permille);
}

bool SetJitter(KeyspacePolicy& policy, Bytes value) {
  const auto permille = IntegerArgument(value);
  if (!permille || *permille < 0 || *permille > 900) return false;
  policy.jitter_permille = static_cast<std::uint32_t>(*permille);
  return true;
}

constexpr std::string_view kEventWords[] = {"off", "key", "value"};

std::string ShowEvents(const KeyspacePolicy& policy) {
  return std::string(kEventWords[static_cast<std::size_t>(policy.events)]);
}

bool SetEvents(KeyspacePolicy& policy, Bytes value) {
  for (std::size_t i = 0; i < std::size(kEventWords); ++i) {
    if (!IsWord(value, kEventWords[i])) continue;
    policy.events = static_cast<EventDetail>(i);
    return true;
  }
  return false;
}

struct PolicyField {
  std::string_view name;
  std::string (*show)(const KeyspacePolicy& policy);
  bool (*set)(KeyspacePolicy& policy, Bytes value);  // False: not a valid value.
  std::string_view takes;
};

template <OptionalMillis kMember>
constexpr PolicyField MillisField(std::string_view name) {
  return {name, ShowMillis<kMember>, SetMillis<kMember>,
          "a positive number of milliseconds, or none"};
}

constexpr PolicyField kFields[] = {
    MillisField<&KeyspacePolicy::default_ttl>("default-ttl"),
    MillisField<&KeyspacePolicy::min_ttl>("min-ttl"),
    MillisField<&KeyspacePolicy::max_ttl>("max-ttl"),
    {"require", ShowRequire, SetRequire, "yes or no"},
    {"breach", ShowBreach, SetBreach, "refuse or clamp"},
    {"jitter", ShowJitter, SetJitter, "thousandths, from 0 to 900"},
    {"events", ShowEvents, SetEvents, "off, key or value"},
    MillisField<&KeyspacePolicy::purge_within>("purge-within"),
};

Status SetField(KeyspacePolicy& policy, Bytes name, Bytes value) {
  const auto* const field =
      std::find_if(std::begin(kFields), std::end(kFields),
                   [&](const auto& known) { return IsWord(name, known.name); });
  if (field == std::end(kFields)) {
    return Status::Invalid(fmt::format("a policy has no field '{}'", name));
  }
  if (field->set(policy, value)) return {};
  return Status::Invalid(fmt::format("'{}' takes {}", field->name, field->takes));
}

// What another policy would make of rows that live now.
enum class Effect : std::uint8_t { kUnchanged, kGiven, kShortened, kLengthened, kRefused };
constexpr std::string_view kEffectNames[] = {"unchanged", "given", "shortened", "lengthened",
                                             "refused"};
constexpr std::size_t kExamplesMax = 10;

struct Tried {
  std::string key;
  Effect effect = Effect::kUnchanged;
  std::optional<WallTime> deadline = std::nullopt;
  std::optional<WallTime> would_be = std::nullopt;  // Nothing, too, when it would be refused.
};

// As if the row were written again at `now`: with the time it has left, or without naming any.
Tried TryRow(const Cursor& row, const KeyspacePolicy& policy, WallTime now) {
  Tried tried{.key = std::string(row.key()), .deadline = row.deadline()};
  const core::LifetimeRule rule{.policy = policy, .allow_any_instant = true};
  const Lifetime lifetime = tried.deadline ? Lifetime::Until(*tried.deadline) : Lifetime::Default();
  const auto span = rule.Apply(lifetime, row.key(), std::nullopt, now);
  if (!span) {
    tried.effect = Effect::kRefused;
    return tried;
  }
  tried.would_be = core::DeadlineOf(*span, now).value_or(std::nullopt);
  if (tried.would_be == tried.deadline) return tried;
  if (!tried.deadline) {
    tried.effect = Effect::kGiven;
  } else {
    const bool is_sooner = tried.would_be && *tried.would_be < *tried.deadline;
    tried.effect = is_sooner ? Effect::kShortened : Effect::kLengthened;
  }
  return tried;
}

struct Trial {
  std::uint64_t rows = 0;
  std::uint64_t counts[std::size(kEffectNames)] = {};
  std::vector<Tried> examples = {};  // Of rows that would not stay as they are.
};

void WriteTrial(ReplyWriter& reply, const Trial& trial) {
  reply.Map(std::size(kEffectNames) + 2);
  Field(reply, "rows", trial.rows);
  for (std::size_t i = 0; i < std::size(kEffectNames); ++i) {
    Field(reply, kEffectNames[i], trial.counts[i]);
  }
  reply.Bulk("examples");
  reply.Array(trial.examples.size());
  for (const Tried& one : trial.examples) {
    reply.Map(2u + (one.deadline ? 1 : 0) + (one.would_be ? 1 : 0));
    Field(reply, "key", Bytes(one.key));
    Field(reply, "effect", kEffectNames[static_cast<std::size_t>(one.effect)]);
    if (one.deadline) Field(reply, "deadline", *one.deadline);
    if (one.would_be) Field(reply, "would-be", *one.would_be);
  }
}

// TRY field value ... [COUNT rows] [CURSOR cursor]. One call looks at a bounded number of rows.
Answer TryPolicy(Call& call, std::span<const Bytes> asked) {
  std::vector<Bytes> words(asked.begin(), asked.end());
  MAYFLY_TRY(const auto place, TakeCursor(words));
  MAYFLY_TRY(const Keyspace* const keyspace, SelectedKeyspace(call));
  KeyspacePolicy policy = keyspace->policy();
  std::int64_t count = kTtlPageMax;
  if (words.size() % 2 != 0) return SyntaxError();
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (IsWord(words[i], "count")) {
      MAYFLY_TRY(count, IntegerArgument(words[i + 1], 1, kTtlPageMax));
    } else {
      MAYFLY_RETURN_IF_ERROR(SetField(policy, words[i], words[i + 1]));
    }
  }
  MAYFLY_RETURN_IF_ERROR(core::CheckNewPolicy(policy));
  MAYFLY_TRY(const Database* const database, WholeDatabase(call.host));
  const WallTime now = database->clock_report().now;
  MAYFLY_TRY(const auto cursor, keyspace->NewCursor({}));
  Trial trial;
  for (cursor->SeekAtOrAfter(place.value_or(""));
       cursor->Valid() && trial.rows < static_cast<std::uint64_t>(count); cursor->Next()) {
    Tried tried = TryRow(*cursor, policy, now);
    ++trial.rows;
    ++trial.counts[static_cast<std::size_t>(tried.effect)];
    if (tried.effect == Effect::kUnchanged || trial.examples.size() == kExamplesMax) continue;
    trial.examples.push_back(std::move(tried));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  call.reply.Array(2);
  call.reply.Bulk(cursor->Valid() ? CursorText(cursor->key()) : "0");
  WriteTrial(call.reply, trial);
  return {};
}

constexpr std::string_view kPromise = "purge-within";

// No promise is made that could be neither kept nor checked.
Status CheckPromise(const Call& call, const std::optional<Millis>& promise) {
  if (!promise || !call.host.on_cluster()) return {};
  return Status::Unsupported(
      "purge-within cannot be promised on a cluster: Ceph keeps older bytes in files of its own, "
      "where mayfly cannot remove or find them. TTL.PROVE says how far dead rows have left the "
      "shards, and docs/cluster.md what can be done about the rest");
}

// TABLE name [GET] | TABLE name SET purge-within ms|none. The other fields are for keys without a
// ttl attribute.
Answer TablePolicy(Call& call, std::span<const Bytes> words) {
  Server* const server = call.host.server();
  TablePolicies* const tables = server == nullptr ? nullptr : server->table_policies();
  if (tables == nullptr) return Status::Unsupported("there are no tables to ask");
  const std::string name(words[0]);
  MAYFLY_TRY(const std::optional<Millis> promise, tables->PurgeWithin(name));
  KeyspacePolicy policy{.purge_within = promise};
  if (words.size() == 1 || (words.size() == 2 && IsWord(words[1], "get"))) {
    call.reply.Map(1);
    call.reply.Bulk(kPromise);
    call.reply.Bulk(ShowMillis<&KeyspacePolicy::purge_within>(policy));
    return {};
  }
  if (words.size() != 4 || !IsWord(words[1], "set")) return SyntaxError();
  if (!IsWord(words[2], kPromise)) {
    return Status::Invalid(fmt::format("the policy of a table has no field '{}'", words[2]));
  }
  MAYFLY_RETURN_IF_ERROR(SetField(policy, words[2], words[3]));
  MAYFLY_RETURN_IF_ERROR(CheckPromise(call, policy.purge_within));
  MAYFLY_RETURN_IF_ERROR(tables->SetPurgeWithin(name, policy.purge_within));
  call.reply.Ok();
  return {};
}

}  // namespace

Answer TtlPolicy(Call& call) {
  const std::span<const Bytes> words = call.args.subspan(1);
  if (words.size() >= 2 && IsWord(words[0], "table")) return TablePolicy(call, words.subspan(1));
  MAYFLY_TRY(Keyspace* const keyspace, SelectedKeyspace(call));
  KeyspacePolicy policy = keyspace->policy();
  if (words.empty() || (words.size() == 1 && IsWord(words[0], "get"))) {
    call.reply.Map(std::size(kFields));
    for (const PolicyField& field : kFields) {
      call.reply.Bulk(field.name);
      call.reply.Bulk(field.show(policy));
    }
    return {};
  }
  if (IsWord(words[0], "try")) return TryPolicy(call, words.subspan(1));
  if (!IsWord(words[0], "set") || words.size() < 3 || words.size() % 2 == 0) return SyntaxError();
  static std::mutex changes;  // Serialises changes: none of a concurrent one is lost.
  const std::lock_guard lock(changes);
  policy = keyspace->policy();
  for (std::size_t i = 1; i < words.size(); i += 2) {
    MAYFLY_RETURN_IF_ERROR(SetField(policy, words[i], words[i + 1]));
  }
  MAYFLY_RETURN_IF_ERROR(CheckPromise(call, policy.purge_within));
  MAYFLY_RETURN_IF_ERROR(keyspace->SetPolicy(policy));
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
