#include "server/command/command_categories.h"

#include <array>

#include "server/command/arguments.h"

namespace mayfly::server {
namespace {

constexpr std::array<std::string_view, 21> kNames = {
    "keyspace", "read",   "write",       "set",       "sortedset",  "list",        "hash",
    "string",   "bitmap", "hyperloglog", "geo",       "stream",     "pubsub",      "admin",
    "fast",     "slow",   "blocking",    "dangerous", "connection", "transaction", "scripting",
};

constexpr CategoryBits Bit(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return CategoryBits{1} << i;
  }
  return 0;
}

// The categories of a family; the rest follows from flags.
CategoryBits OfFamily(Category family) {
  switch (family) {
    case Category::kKeyspace: return Bit("keyspace");
    case Category::kString: return Bit("string");
    case Category::kBitmap: return Bit("bitmap");
    case Category::kHash: return Bit("hash");
    case Category::kList: return Bit("list");
    case Category::kSet: return Bit("set");
    case Category::kSortedSet: return Bit("sortedset");
    case Category::kStream: return Bit("stream");
    case Category::kHyperLogLog: return Bit("hyperloglog");
    case Category::kGeo: return Bit("geo");
    case Category::kConnection: return Bit("connection");
    case Category::kTransaction: return Bit("transaction");
    case Category::kScripting:
    case Category::kFunctions: return Bit("scripting");
    case Category::kPubSub:
    case Category::kAdmin: break;
  }
  return 0;
}

}  // namespace

std::span<const std::string_view> CategoryNames() { return kNames; }

CategoryBits CategoryNamed(Bytes name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (IsWord(name, kNames[i])) return CategoryBits{1} << i;
  }
  return 0;
}

CategoryBits CategoriesOf(const CommandSpec& spec, Category family) {
  // A container of subcommands is in no family: they are.
  CategoryBits bits = spec.subcommands.empty() ? OfFamily(family) : 0;
  const auto has = [&spec](CommandFlag flag) { return (spec.flags & flag) != 0; };
  if (has(kWrite)) bits |= Bit("write");
  if (has(kReadOnly) && !IsScripting(family)) bits |= Bit("read");
  if (has(kAdmin)) bits |= Bit("admin") | Bit("dangerous");
  if (has(kDangerous)) bits |= Bit("dangerous");
  if (has(kSortsMembers)) {
    bits &= ~OfFamily(family);
    bits |= Bit("list") | Bit("set") | Bit("sortedset");
  }
  if (has(kPubSub)) bits |= Bit("pubsub");
  if (has(kBlocking)) bits |= Bit("blocking");
  bits |= has(kFast) ? Bit("fast") : Bit("slow");
  return bits;
}

}  // namespace mayfly::server
