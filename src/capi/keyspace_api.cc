// Implements the keyspaces of c.h: creating, opening, dropping, policies.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/memory.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

std::optional<Millis> ToTtl(std::int64_t ms) {
  return ms == 0 ? std::nullopt
                 : std::optional(Millis(ms));  // A negative one is refused by the core.
}

std::int64_t FromTtl(const std::optional<Millis>& ttl) { return ttl ? ttl->count() : 0; }

Result<KeyspacePolicy> ToPolicy(const mayfly_policy* given) {
  MAYFLY_TRY(const mayfly_policy asked, TakeStruct(given, "the policy"));
  if (asked.breach < MAYFLY_BREACH_REFUSE || asked.breach > MAYFLY_BREACH_CLAMP) {
    return Status::Invalid(fmt::format("unknown breach {} in the policy", asked.breach));
  }
  if (asked.events < MAYFLY_EVENTS_OFF || asked.events > MAYFLY_EVENTS_KEY_AND_VALUE) {
    return Status::Invalid(fmt::format("unknown events {} in the policy", asked.events));
  }
  if (asked.order < MAYFLY_ORDER_ARRIVAL || asked.order > MAYFLY_ORDER_TIMESTAMP) {
    return Status::Invalid(fmt::format("unknown order {} in the policy", asked.order));
  }
  return KeyspacePolicy{.default_ttl = ToTtl(asked.default_ttl_ms),
                        .min_ttl = ToTtl(asked.min_ttl_ms),
                        .max_ttl = ToTtl(asked.max_ttl_ms),
                        .require_ttl = asked.require_ttl,
                        .breach = static_cast<PolicyBreach>(asked.breach),
                        .jitter_permille = asked.jitter_permille,
                        .events = static_cast<EventDetail>(asked.events),
                        .purge_within = ToTtl(asked.purge_within_ms),
                        .order = static_cast<RowOrder>(asked.order),
                        .history = Millis(asked.history_ms),
                        .late_max = ToTtl(asked.late_max_ms)};
}

// The common part of the three calls that return a keyspace.
template <typename Find>
int GiveKeyspace(mayfly_database* database, const char* name, mayfly_keyspace** keyspace,
                 Find find) {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(keyspace, "the place for the keyspace"));
    *keyspace = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(Need(name, "the name"));
    MAYFLY_TRY(std::shared_ptr<Keyspace> found, find(**database, std::string(name)));
    *keyspace = NewHandle(
        mayfly_keyspace{std::make_shared<KeyspaceOwner>(database->shared, std::move(found))});
    return {};
  });
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_default_keyspace(mayfly_database* database, mayfly_keyspace** keyspace) noexcept {
  return mayfly_open_keyspace(database, "default", keyspace);
}

int mayfly_create_keyspace(mayfly_database* database, const char* name, const mayfly_policy* policy,
                           mayfly_keyspace** keyspace) noexcept {
  return GiveKeyspace(
      database, name, keyspace,
      [&](Database& in, const std::string& called) -> Result<std::shared_ptr<Keyspace>> {
        MAYFLY_TRY(const KeyspacePolicy wanted, ToPolicy(policy));
        return in.CreateKeyspace(called, wanted);
      });
}

int mayfly_open_keyspace(mayfly_database* database, const char* name,
                         mayfly_keyspace** keyspace) noexcept {
  return GiveKeyspace(database, name, keyspace, [](Database& in, const std::string& called) {
    return in.OpenKeyspace(called);
  });
}

int mayfly_list_keyspaces(mayfly_database* database, char*** names, size_t* count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(Need(names, "the place for the names"));
    MAYFLY_RETURN_IF_ERROR(Need(count, "the place for the count"));
    *names = nullptr;
    *count = 0;
    MAYFLY_TRY(const auto found, (*database)->ListKeyspaces());
    std::size_t bytes = 0;
    for (const std::string& name : found) bytes += name.size();
    Block<char*> block(found.size(), bytes, found.size());
    for (std::size_t i = 0; i < found.size(); ++i) block[i] = block.Add(found[i]);
    *count = found.size();
    *names = block.Release();
    return {};
  });
}

int mayfly_drop_keyspace(mayfly_database* database, const char* name) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(Need(name, "the name"));
    return (*database)->DropKeyspace(name);
  });
}

void mayfly_release_keyspace(mayfly_keyspace* keyspace) noexcept { delete keyspace; }

const char* mayfly_keyspace_name(const mayfly_keyspace* keyspace) noexcept {
  return keyspace != nullptr ? (*keyspace)->name().c_str() : "";
}

int mayfly_get_policy(mayfly_keyspace* keyspace, mayfly_policy* policy) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(keyspace, "the keyspace"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(policy, false, "the policy"));
    const KeyspacePolicy current = (*keyspace)->policy();
    Fill(policy, mayfly_policy{.size = 0,
                               .default_ttl_ms = FromTtl(current.default_ttl),
                               .min_ttl_ms = FromTtl(current.min_ttl),
                               .max_ttl_ms = FromTtl(current.max_ttl),
                               .require_ttl = current.require_ttl,
                               .breach = static_cast<int>(current.breach),
                               .jitter_permille = current.jitter_permille,
                               .events = static_cast<int>(current.events),
                               .purge_within_ms = FromTtl(current.purge_within),
                               .history_ms = current.history.count(),
                               .late_max_ms = FromTtl(current.late_max),
                               .order = static_cast<int>(current.order)});
    return {};
  });
}

int mayfly_set_policy(mayfly_keyspace* keyspace, const mayfly_policy* policy) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(keyspace, "the keyspace"));
    MAYFLY_RETURN_IF_ERROR(Need(policy, "the policy"));
    MAYFLY_TRY(const KeyspacePolicy wanted, ToPolicy(policy));
    return (*keyspace)->SetPolicy(wanted);
  });
}

int mayfly_clear(mayfly_keyspace* keyspace) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(keyspace, "the keyspace"));
    return (*keyspace)->Clear();
  });
}

mayfly_view* mayfly_keyspace_view(mayfly_keyspace* keyspace) noexcept {
  if (keyspace == nullptr) return nullptr;
  mayfly_view* view = nullptr;
  Guard([&]() -> Status {
    view = keyspace->owner->ViewOf(**keyspace, &**keyspace);
    return {};
  });
  return view;
}
