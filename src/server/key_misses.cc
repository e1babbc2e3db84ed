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

bool SetReads(const Call& call) {
  return call.args.size() > 3 && std::any_of(call.args.begin() + 3, call.args.end(),
                                             [](Bytes arg) { return IsWord(arg, "get"); });
}

// Which of the keys it names.
enum class Read : std::uint8_t { kNone, kAll, kFirst, kOthers };

Read WhichAreRead(const CommandSpec& spec, const Call& call) {
  // A script reads what it calls, and not the keys it names.
  if ((spec.flags & kNoScript) != 0) return Read::kNone;
  if ((spec.flags & kReadOnly) != 0) return IsOneOf(spec.name, kLookers) ? Read::kNone : Read::kAll;
  if (spec.name == "set") return SetReads(call) ? Read::kFirst : Read::kNone;
  if (IsOneOf(spec.name, kFirstReaders)) return Read::kFirst;
  return IsOneOf(spec.name, kOtherReaders) ? Read::kOthers : Read::kNone;
}

std::span<const int> PartOf(std::span<const int> all, Read read) {
  if (all.empty() || read == Read::kNone) return {};
  if (read == Read::kFirst) return all.first(1);
  return read == Read::kOthers ? all.subspan(1) : all;
}

bool NamesOneKey(const KeySpec& keys) {
  return keys.find == nullptr && keys.first != 0 && keys.first == keys.last;
}

}  // namespace

std::uint64_t KeysRead(const CommandSpec& spec, const Call& call) {
  const Read read = WhichAreRead(spec, call);
  if (read == Read::kNone) return 0;
  // Most commands: their keys need not be found.
  if (read == Read::kFirst || NamesOneKey(spec.keys)) return 1;
  std::vector<int> positions;
  if (!FindKeys(spec, call.args, positions)) return 0;
  return PartOf(positions, read).size();
}

void TellOfMisses(const CommandSpec& spec, const Call& call) {
  if (call.work == nullptr || !call.host.Wants(NotifyClass::kKeyMiss)) return;
  const Read read = WhichAreRead(spec, call);
  std::vector<int> positions;
  if (read == Read::kNone || !FindKeys(spec, call.args, positions)) return;
  for (const int position : PartOf(positions, read)) {
    const Bytes key = call.args[static_cast<std::size_t>(position)];
    core::FoundRow row;
    if (call.space().Find(key, row).ok() && !row.exists) {
      call.Notify(NotifyClass::kKeyMiss, "keymiss", key);
    }
  }
}

}  // namespace mayfly::server
