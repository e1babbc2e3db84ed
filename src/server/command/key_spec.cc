#include "server/command/key_spec.h"

#include <algorithm>

#include "server/command/arguments.h"

namespace mayfly::server {
namespace {

KeyFlags FlagsOf(const KeySpecs& keys, const KeySpec& spec, std::span<const Bytes> args) {
  return (spec.flags & kVariable) != 0 ? keys.vary(args) : spec.flags;
}

// False where the arguments end before the keys do.
bool AddRange(const KeySpec& spec, KeyFlags flags, int count, std::vector<KeyUse>& uses) {
  const int last = spec.last < 0 ? count + spec.last : spec.first + spec.last;
  const bool none = last == spec.first - 1 && (flags & kMayBeNone) != 0;
  if (last >= count || (last < spec.first && !none)) return false;
  for (int i = spec.first; i <= last; i += spec.step) uses.push_back({i, flags});
  return true;
}

bool AddNumbered(const KeySpec& spec, std::span<const Bytes> args, std::vector<KeyUse>& uses) {
  const auto count = static_cast<int>(args.size());
  if (spec.first >= count) return false;
  const int most = (count - spec.first - 1) / spec.step;
  const auto number = IntegerArgument(args[static_cast<std::size_t>(spec.first)], 1, most);
  if (!number) return false;
  for (int i = 0; i < static_cast<int>(*number); ++i) {
    uses.push_back({spec.first + 1 + i * spec.step, spec.flags});
  }
  return true;
}

bool AddKeys(const KeySpecs& keys, std::span<const Bytes> args, std::vector<KeyUse>& uses) {
  for (const KeySpec& spec : keys.specs) {
    if ((spec.flags & kNotKey) != 0) continue;
    const KeyFlags flags = FlagsOf(keys, spec, args);
    switch (spec.form) {
      case KeyForm::kRange:
        if (!AddRange(spec, flags, static_cast<int>(args.size()), uses)) return false;
        break;
      case KeyForm::kNumbered:
        if (!AddNumbered(spec, args, uses)) return false;
        break;
      case KeyForm::kKeyword: {
        if (spec.last == 0) break;
        const std::size_t before = uses.size();
        keys.find(args, uses);
        return uses.size() > before;
      }
      case KeyForm::kNone:
      case KeyForm::kUnknown: break;
    }
  }
  if (keys.find != nullptr) keys.find(args, uses);
  return true;
}

}  // namespace

bool FindKeys(const KeySpecs& keys, std::span<const Bytes> args, std::vector<KeyUse>& uses) {
  uses.clear();
  // Most commands.
  const KeySpec& only = keys.specs[0];
  if (keys.names_one_key() && keys.find == nullptr && (only.flags & kNotKey) == 0 &&
      only.first < static_cast<int>(args.size())) {
    uses.push_back({only.first, FlagsOf(keys, only, args)});
    return true;
  }
  if (AddKeys(keys, args, uses)) return true;
  uses.clear();
  return false;
}

void FindChannels(const KeySpecs& keys, std::span<const Bytes> args, std::vector<KeyUse>& uses) {
  for (const KeySpec& spec : keys.all()) {
    if ((spec.flags & kNotKey) == 0) continue;
    static_cast<void>(AddRange(spec, spec.flags, static_cast<int>(args.size()), uses));
  }
}

bool HasKeys(const KeySpecs& keys) {
  const auto all = keys.all();
  return std::any_of(all.begin(), all.end(),
                     [](const KeySpec& spec) { return (spec.flags & kNotKey) == 0; });
}

bool ChangesKeys(const KeySpecs& keys) {
  const auto all = keys.all();
  return std::any_of(all.begin(), all.end(), [](const KeySpec& spec) {
    return (spec.flags & kNotKey) == 0 && IsChanged(spec.flags);
  });
}

bool HasMovableKeys(const KeySpecs& keys) {
  const auto all = keys.all();
  return std::any_of(all.begin(), all.end(),
                     [](const KeySpec& spec) { return spec.form != KeyForm::kRange; });
}

bool ReadsUnnamedKeys(const KeySpecs& keys) {
  const auto all = keys.all();
  return std::any_of(all.begin(), all.end(), [](const KeySpec& spec) {
    return spec.form == KeyForm::kUnknown && (spec.flags & kAccess) != 0;
  });
}

}  // namespace mayfly::server
