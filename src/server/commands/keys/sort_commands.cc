// sort_commands.cc - SORT: sorts the elements of a list, set or sorted set, and follows patterns.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/keys/key_commands.h"
#include "server/commands/keys/sort_query.h"
#include "server/commands/support/collection_walk.h"
#include "server/commands/support/held_result.h"
#include "types/value_type.h"

namespace mayfly::server {
namespace {

struct Sortable {
  std::string element;
  std::optional<std::string> text;  // Compared as bytes; nothing comes first.
  double number = 0;
};

Result<double> NumberOf(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const double number = std::strtod(text.c_str(), &end);
  // As C and Redis read it: a zero byte ends the number.
  if (*end != '\0' || errno == ERANGE || std::isnan(number)) {
    return Status::Invalid("One or more scores can't be converted into double");
  }
  return number;
}

// Finds the weight of each element.
Status Weigh(core::TransactionKeyspace& space, const SortQuery& query, std::vector<Sortable>& all,
             HeldResult& held) {
  for (Sortable& one : all) {
    one.text = one.element;
    if (query.by) {
      MAYFLY_TRY(one.text, FollowPattern(space, *query.by, one.element));
    }
    if (one.text && !held.Add(one.text->size(), 0)) return held.status();
    if (query.alpha || !one.text) continue;
    MAYFLY_TRY(one.number, NumberOf(*one.text));
  }
  return {};
}

void SortAll(const SortQuery& query, std::vector<Sortable>& all) {
  const auto by_number = [](const Sortable& a, const Sortable& b) {
    return a.number != b.number ? a.number < b.number : a.element < b.element;
  };
  const auto by_text = [](const Sortable& a, const Sortable& b) { return a.text < b.text; };
  const auto sort = [&](auto before) {
    std::stable_sort(all.begin(), all.end(), [&](const Sortable& a, const Sortable& b) {
      return query.descending ? before(b, a) : before(a, b);
    });
  };
  if (query.alpha) {
    sort(by_text);
  } else {
    sort(by_number);
  }
}

// The part of [0, size) that LIMIT asks for.
std::span<const Sortable> Limited(const SortQuery& query, const std::vector<Sortable>& all) {
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t begin = std::clamp<std::int64_t>(query.offset, 0, size);
  const std::int64_t count = query.limit < 0 ? size - begin : std::min(query.limit, size - begin);
  return std::span(all).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
}

Result<std::vector<Sortable>> ReadAll(core::TransactionKeyspace& space, Bytes key,
                                      const core::FoundRow& row, bool from_script, SortQuery& query,
                                      HeldResult& held) {
  std::vector<Sortable> all;
  if (!row.exists) return all;
  MAYFLY_TRY(const types::ValueType type, types::TypeOf(row.is_collection, row.value));
  MAYFLY_RETURN_IF_ERROR(WalkElements(space, key, type, [&](Bytes element) {
    if (!held.Add(element.size(), sizeof(Sortable))) return;
    all.push_back({.element = std::string(element), .text = std::nullopt});
  }));
  MAYFLY_RETURN_IF_ERROR(held.status());
  if (query.unsorted && type == types::ValueType::kSet && (query.store || from_script)) {
    // A set has no order of its own, and neither a stored result nor a script should depend on its
    // layout.
    query.unsorted = false;
    query.alpha = true;
    query.by.reset();
  }
  const bool has_order = type != types::ValueType::kSet;
  if (query.unsorted && query.descending && has_order) std::reverse(all.begin(), all.end());
  return all;
}

// The values replied for each element, in order.
using Columns = std::vector<std::optional<std::string>>;

Result<Columns> Project(core::TransactionKeyspace& space, const SortQuery& query,
                        std::span<const Sortable> chosen, HeldResult& held) {
  Columns columns;
  const auto add = [&](std::optional<std::string> column) {
    if (held.Add(column ? column->size() : 0, sizeof(column))) columns.push_back(std::move(column));
    return held.status();
  };
  for (const Sortable& one : chosen) {
    if (query.gets.empty()) MAYFLY_RETURN_IF_ERROR(add(one.element));
    for (const Bytes get : query.gets) {
      MAYFLY_TRY(auto column, FollowPattern(space, get, one.element));
      MAYFLY_RETURN_IF_ERROR(add(std::move(column)));
    }
  }
  return columns;
}

Status Store(const Call& call, Bytes target, const Columns& columns) {
  std::vector<Bytes> elements;
  for (const auto& column : columns) elements.push_back(column ? Bytes(*column) : Bytes());
  core::FoundRow old;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(target, old));
  MAYFLY_RETURN_IF_ERROR(ReplaceWithList(call.space(), target, elements));
  if (!elements.empty()) {
    call.Notify(NotifyClass::kList, "sortstore", target);
  } else if (old.exists) {
    call.Notify(NotifyClass::kGeneric, "del", target);
  }
  call.reply.Integer(static_cast<std::int64_t>(elements.size()));
  return {};
}

// Patterns name keys of any shard.
Status CheckReach(const SortQuery& query) {
  if (query.by && !query.unsorted) {
    return Status::Invalid("BY option of SORT denied in Cluster mode.");
  }
  const bool gets_others = std::any_of(query.gets.begin(), query.gets.end(),
                                       [](const Bytes pattern) { return pattern != "#"; });
  return gets_others ? Status::Invalid("GET option of SORT denied in Cluster mode.") : Status();
}

Answer RunSort(Call& call, bool read_only) {
  const Bytes key = call.args[1];
  core::TransactionKeyspace& space = call.space();
  MAYFLY_TRY(SortQuery query, ParseSortQuery(call.args.subspan(2), read_only));
  if (call.host.on_cluster()) MAYFLY_RETURN_IF_ERROR(CheckReach(query));
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
  HeldResult held;
  MAYFLY_TRY(std::vector<Sortable> all, ReadAll(space, key, row, call.from_script, query, held));
  if (!query.unsorted) {
    MAYFLY_RETURN_IF_ERROR(Weigh(space, query, all, held));
    SortAll(query, all);
  }
  MAYFLY_TRY(const Columns columns, Project(space, query, Limited(query, all), held));
  if (query.store) return Store(call, *query.store, columns);
  call.reply.Array(columns.size());
  for (const auto& column : columns) {
    if (column) {
      call.reply.Bulk(*column);
    } else {
      call.reply.Null();
    }
  }
  return {};
}

}  // namespace

Answer Sort(Call& call) { return RunSort(call, /*read_only=*/false); }

Answer SortReadOnly(Call& call) { return RunSort(call, /*read_only=*/true); }

}  // namespace mayfly::server
