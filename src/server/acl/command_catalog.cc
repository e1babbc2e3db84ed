#include "server/acl/command_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace mayfly::server {
namespace {

constexpr std::array<std::string_view, 21> kCategoryNames = {
    "keyspace", "read",   "write",       "set",       "sortedset",  "list",        "hash",
    "string",   "bitmap", "hyperloglog", "geo",       "stream",     "pubsub",      "admin",
    "fast",     "slow",   "blocking",    "dangerous", "connection", "transaction", "scripting",
};

constexpr AclCategories Bit(std::string_view name) {
  for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
    if (kCategoryNames[i] == name) return AclCategories{1} << i;
  }
  return 0;
}

// What a family brings; the rest follows from flags.
AclCategories OfFamily(Category family) {
  switch (family) {
    case Category::kKeyspace: return Bit("keyspace");
    case Category::kString: return Bit("string");
    case Category::kBitmap: return Bit("bitmap");
    case Category::kHash: return Bit("hash");
    case Category::kList: return Bit("list");
    case Category::kSet: return Bit("set");
    case Category::kSortedSet: return Bit("sortedset");
    case Category::kConnection: return Bit("connection");
    case Category::kTransaction: return Bit("transaction");
    case Category::kScripting: return Bit("scripting");
    case Category::kPubSub:
    case Category::kAdmin: break;
  }
  return 0;
}

AclCategories CategoriesOf(const CommandSpec& spec, Category family) {
  // A command that is its subcommands is in no family: they are.
  AclCategories bits = spec.subcommands.empty() ? OfFamily(family) : 0;
  const auto has = [&spec](CommandFlag flag) { return (spec.flags & flag) != 0; };
  if (has(kWrite)) bits |= Bit("write");
  if (has(kReadOnly) && family != Category::kScripting) bits |= Bit("read");
  if (has(kAdmin)) bits |= Bit("admin") | Bit("dangerous");
  if (has(kDangerous)) bits |= Bit("dangerous");
  if (has(kPubSub)) bits |= Bit("pubsub");
  if (has(kBlocking)) bits |= Bit("blocking");
  bits |= has(kFast) ? Bit("fast") : Bit("slow");
  return bits;
}

}  // namespace

std::span<const std::string_view> AclCategoryNames() { return kCategoryNames; }

AclCategories AclCategoryOf(Bytes name) { return Bit(LowerCase(name)); }

CommandCatalog::CommandCatalog(std::span<const CommandFamily> families) {
  for (const CommandFamily& family : families) {
    for (const CommandSpec& spec : family.commands) {
      const std::size_t parent = Add(spec, std::string(spec.name), family.category);
      for (const CommandSpec& sub : spec.subcommands) {
        const std::size_t child =
            Add(sub, fmt::format("{}|{}", spec.name, sub.name), family.category);
        entries_[child].parent = parent;
        entries_[parent].subcommands.push_back(child);
      }
    }
  }
}

std::size_t CommandCatalog::Add(const CommandSpec& spec, std::string name, Category family) {
  const auto [at, is_new] = by_name_.emplace(name, entries_.size());
  const std::size_t index = at->second;
  by_spec_.emplace(&spec, index);
  if (!is_new) {
    // Two families may each have subcommands of one command.
    const bool shared = !spec.subcommands.empty() && !entries_[index].spec->subcommands.empty();
    MAYFLY_CHECK(shared, "two commands have one name");
    return index;
  }
  entries_.push_back({std::move(name), &spec, std::nullopt, {}, CategoriesOf(spec, family)});
  return index;
}

std::optional<std::size_t> CommandCatalog::Find(Bytes name) const {
  const auto found = by_name_.find(LowerCase(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::size_t CommandCatalog::IndexOf(const CommandSpec& spec) const {
  const auto found = by_spec_.find(&spec);
  MAYFLY_CHECK(found != by_spec_.end(), "a command that is not in the catalog");
  return found->second;
}

std::string LowerCase(Bytes text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace mayfly::server
