#include "server/key_misses.h"

#include <algorithm>

#include "server/arguments.h"
#include "server/command_table.h"

namespace mayfly::server {
namespace {

template <std::size_t kCount>
bool IsOneOf(std::string_view name, const std::string_view (&names)[kCount]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// These look at a key without reading it: OBJECT's and MEMORY's subcommands.
constexpr std::string_view kLookers[] = {"encoding", "freq", "idletime", "refcount", "usage"};

// Commands that write, and read their first key.
constexpr std::string_view kFirstReaders[] = {"copy", "getdel", "getex", "getset", "sort"};

// Commands that write their first key, and read the others.
constexpr std::string_view kOtherReaders[] = {
    "bitop",      "sdiffstore",  "sinterstore", "sunionstore",
    "zdiffstore", "zinterstore", "zrangestore", "zunionstore",
};

// The keys it reads, as a part of all its keys.
std::span<const int> ReadOnes(const CommandSpec& spec, const Call& call, std::span<const int> all) {
  if (all.empty()) return all;
  if ((spec.flags & kReadOnly) != 0) return all;
  if (IsOneOf(spec.name, kFirstReaders)) return all.first(1);
  if (IsOneOf(spec.name, kOtherReaders)) return all.subspan(1);
  const bool set_reads = spec.name == "set" && call.args.size() > 3 &&
                         std::any_of(call.args.begin() + 3, call.args.end(),
                                     [](Bytes arg) { return IsWord(arg, "get"); });
  return set_reads ? all : all.first(0);
}

}  // namespace

void TellOfMisses(const CommandSpec& spec, const Call& call) {
  if (call.work == nullptr || !call.host.Wants(NotifyClass::kKeyMiss)) return;
  // A script tells of what it calls, and not of the keys it names.
  if ((spec.flags & kNoScript) != 0 || IsOneOf(spec.name, kLookers)) return;
  std::vector<int> positions;
  if (!FindKeys(spec, call.args, positions)) return;
  for (const int position : ReadOnes(spec, call, positions)) {
    const Bytes key = call.args[static_cast<std::size_t>(position)];
    core::FoundRow row;
    if (call.space().Find(key, row).ok() && !row.exists) {
      call.Notify(NotifyClass::kKeyMiss, "keymiss", key);
    }
  }
}

}  // namespace mayfly::server
