#include "server/executor/cluster_merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "server/command/limits.h"

namespace mayfly::server {
namespace {

using Kind = Reply::Kind;

enum class Reduction : std::uint8_t { kAdd, kLargest, kSmallest, kKeep, kBoth, kAppend, kNotOk };

struct FieldRule {
  std::string_view field;
  Reduction reduction;
};

// Fields of the TTL commands that are no amounts. All others are added.
constexpr FieldRule kFieldRules[] = {
    {"now", Reduction::kLargest},
    {"lag-ms", Reduction::kLargest},
    {"promise-overdue-ms", Reduction::kLargest},
    {"purged-through", Reduction::kSmallest},
    {"purge-within", Reduction::kKeep},
    {"events-first", Reduction::kSmallest},
    {"events-last", Reduction::kLargest},
    {"taken-at", Reduction::kLargest},
    {"rows-purged-through", Reduction::kSmallest},
    {"clean", Reduction::kBoth},
    {"clock-state", Reduction::kNotOk},
    {"findings", Reduction::kAppend},
    {"holders", Reduction::kAppend},
    {"traces", Reduction::kAppend},
    {"checked", Reduction::kKeep},
    {"unknown", Reduction::kKeep},
};

Reduction ReductionOf(Bytes field) {
  const auto* const found =
      std::find_if(std::begin(kFieldRules), std::end(kFieldRules),
                   [&](const FieldRule& rule) { return rule.field == field; });
  return found == std::end(kFieldRules) ? Reduction::kAdd : found->reduction;
}

std::int64_t Reduce(Reduction reduction, std::int64_t a, std::int64_t b) {
  switch (reduction) {
    case Reduction::kAdd: return a + b;
    case Reduction::kLargest: return std::max(a, b);
    case Reduction::kSmallest: return std::min(a, b);
    case Reduction::kKeep:
    case Reduction::kBoth:
    case Reduction::kAppend:
    case Reduction::kNotOk: return a;
  }
  return a;
}

bool HasText(const Reply& reply) {
  return reply.kind == Kind::kBulk || reply.kind == Kind::kSimpleString;
}

// The value of a map's field; null: it has no such field.
Reply* FieldOf(Reply& map, const std::string& name) {
  Reply::Items& items = map.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (HasText(items[i]) && items[i].text() == name) return &items[i + 1];
  }
  return nullptr;
}

const std::string* NameOf(Reply& item) {
  if (item.kind != Kind::kMap) return nullptr;
  const Reply* const name = FieldOf(item, "name");
  return name != nullptr && HasText(*name) ? &name->text() : nullptr;
}

void Add(Reply& into, Reply other, Reduction reduction);

void AddMaps(Reply& into, Reply other) {
  Reply::Items& items = other.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!HasText(items[i])) continue;
    Reply* const known = FieldOf(into, items[i].text());
    if (known != nullptr) {
      Add(*known, std::move(items[i + 1]), ReductionOf(items[i].text()));
    } else {
      into.items().push_back(std::move(items[i]));
      into.items().push_back(std::move(items[i + 1]));
    }
  }
}

void Append(Reply& into, Reply other) {
  for (Reply& item : other.items()) {
    if (into.items().size() == kMergedLinesMax) return;
    into.items().push_back(std::move(item));
  }
}

void AddLists(Reply& into, Reply other, Reduction reduction) {
  if (reduction == Reduction::kAppend) return Append(into, std::move(other));
  if (reduction == Reduction::kKeep) return;
  Reply::Items& known = into.items();
  for (std::size_t i = 0; i < other.items().size(); ++i) {
    Reply& item = other.items()[i];
    auto found = i < known.size() ? known.begin() + static_cast<std::ptrdiff_t>(i) : known.end();
    if (const std::string* const name = NameOf(item)) {
      found = std::find_if(known.begin(), known.end(), [&](Reply& one) {
        const std::string* const its = NameOf(one);
        return its != nullptr && *its == *name;
      });
    }
    if (found == known.end()) {
      known.push_back(std::move(item));
    } else {
      Add(*found, std::move(item), reduction);
    }
  }
}

void Add(Reply& into, Reply other, Reduction reduction) {
  if (into.kind != other.kind) return;
  switch (into.kind) {
    case Kind::kInteger: into.value = Reduce(reduction, into.integer(), other.integer()); break;
    case Kind::kDouble: into.value = into.number() + other.number(); break;
    case Kind::kBoolean:
      into.value = reduction == Reduction::kBoth ? into.boolean() && other.boolean()
                                                 : into.boolean() || other.boolean();
      break;
    case Kind::kBulk:
      if (reduction == Reduction::kNotOk && into.text() == "ok") into = std::move(other);
      break;
    case Kind::kMap: AddMaps(into, std::move(other)); break;
    case Kind::kArray: AddLists(into, std::move(other), reduction); break;
    default: break;
  }
}

Reply Join(std::vector<Reply> replies) {
  Reply joined = std::move(replies.front());
  for (std::size_t i = 1; i < replies.size(); ++i) {
    std::move(replies[i].items().begin(), replies[i].items().end(),
              std::back_inserter(joined.items()));
  }
  return joined;
}

Reply Any(std::vector<Reply> replies, Random& random) {
  std::erase_if(replies, [](const Reply& reply) { return reply.is_null(); });
  if (replies.empty()) return Reply::Null();
  return std::move(replies[random.Below(replies.size())]);
}

Reply Same(std::vector<Reply> replies) {
  const bool same = std::all_of(replies.begin(), replies.end(),
                                [&](const Reply& reply) { return reply == replies.front(); });
  if (same) return std::move(replies.front());
  return Reply::Text(Kind::kError,
                     "ERR the shards differ: a change was cut off; make it once more");
}

// A field of TTL.CLOCK; 0 for another reply.
std::int64_t NumberIn(Reply& reply, const std::string& field) {
  const Reply* const found = reply.kind == Kind::kMap ? FieldOf(reply, field) : nullptr;
  return found != nullptr && found->kind == Kind::kInteger ? found->integer() : 0;
}

Reply Worst(std::vector<Reply> replies) {
  const auto badness = [](Reply& reply) {
    return std::pair(NumberIn(reply, "deletion-stopped"), NumberIn(reply, "ahead-ms"));
  };
  Reply* worst = &replies.front();
  for (Reply& reply : replies) {
    if (badness(reply) > badness(*worst)) worst = &reply;
  }
  return std::move(*worst);
}

}  // namespace

Reply MergeReplies(ClusterMerge merge, std::vector<Reply> replies, Random& random) {
  MAYFLY_CHECK(!replies.empty(), "no replies to merge");
  const auto error = std::find_if(replies.begin(), replies.end(),
                                  [](const Reply& reply) { return reply.is_error(); });
  if (error != replies.end()) return std::move(*error);
  if (merge == ClusterMerge::kJoin) return Join(std::move(replies));
  if (merge == ClusterMerge::kAny) return Any(std::move(replies), random);
  if (merge == ClusterMerge::kSame) return Same(std::move(replies));
  if (merge == ClusterMerge::kWorst) return Worst(std::move(replies));
  Reply merged = std::move(replies.front());
  if (merge == ClusterMerge::kFirst) return merged;
  const Reduction reduction =
      merge == ClusterMerge::kLeast ? Reduction::kSmallest : Reduction::kAdd;
  for (std::size_t i = 1; i < replies.size(); ++i) Add(merged, std::move(replies[i]), reduction);
  return merged;
}

}  // namespace mayfly::server
