#include "server/command/key_misses.h"

#include <algorithm>

namespace mayfly::server {

std::uint64_t KeysRead(const CommandSpec& spec, const Call& call) {
  const KeySpecs& keys = spec.keys;
  // The common case: no need to find the key's position.
  if (keys.names_one_key()) {
    return IsCounted(keys.vary != nullptr ? keys.vary(call.args) : keys.specs[0].flags) ? 1 : 0;
  }
  const auto all = keys.all();
  const auto counted = [](const auto& one) { return IsCounted(one.flags); };
  if (std::none_of(all.begin(), all.end(), counted)) return 0;
  std::vector<KeyUse> uses;
  FindKeys(keys, call.args, uses);
  return static_cast<std::uint64_t>(std::count_if(uses.begin(), uses.end(), counted));
}

void NotifyMisses(const CommandSpec& spec, const Call& call) {
  if (call.transaction == nullptr || !call.host.Wants(NotifyClass::kKeyMiss)) return;
  std::vector<KeyUse> uses;
  FindKeys(spec.keys, call.args, uses);
  for (const KeyUse& use : uses) {
    if (!IsCounted(use.flags) || (use.flags & kUnnotified) != 0) continue;
    const Bytes key = call.args[static_cast<std::size_t>(use.position)];
    core::FoundRow row;
    if (call.space().Find(key, row).ok() && !row.exists) {
      call.Notify(NotifyClass::kKeyMiss, "keymiss", key);
    }
  }
}

}  // namespace mayfly::server
