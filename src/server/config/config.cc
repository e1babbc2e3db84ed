#include "server/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/glob.h"
#include "base/text.h"
#include "server/command/shown_args.h"

namespace mayfly::server {
namespace {

Answer Failed(std::string_view name, std::string_view why) {
  return Answer::Error(
      fmt::format("ERR CONFIG SET failed (possibly related to argument '{}') - {}", name, why));
}

}  // namespace

Config::Config() {
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const SettingSpec& spec = AllSettings()[i];
    const Result<SettingValue> value = ReadSetting(spec, spec.initial);
    MAYFLY_CHECK(value.has_value(), "a default is no value of its setting");
    Slot& slot = slots_[i];
    slot.spec = &spec;
    slot.text = value->text;
    slot.number = value->number;
    MAYFLY_CHECK(by_name_.emplace(spec.name, &slot).second, "two settings of one name");
  }
  for (const SettingAlias& alias : SettingAliases()) {
    by_name_[alias.alias] = &slots_[IndexOf(alias.setting)];
  }
}

Config::Slot* Config::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::string Config::TextOf(const Slot& slot) const {
  const std::lock_guard lock(mutex_);
  return slot.text;
}

void Config::Store(Slot& slot, const SettingValue& value) {
  const std::lock_guard lock(mutex_);
  slot.text = value.text;
  slot.number = value.number;
}

Status Config::SetAtStart(Bytes name, Bytes text) {
  Slot* const slot = Find(ToLower(name));
  if (slot == nullptr) return Status::Invalid(fmt::format("there is no setting '{}'", name));
  return SetAtStart(*slot, name, text);
}

Status Config::SetAtStart(Setting setting, Bytes text) {
  return SetAtStart(slots_[IndexOf(setting)], SpecOf(setting).name, text);
}

Status Config::SetAtStart(Slot& slot, Bytes name, Bytes text) {
  const SettingSpec& spec = *slot.spec;
  const Result<SettingValue> value = ReadSetting(spec, text, TextOf(slot));
  if (value && spec.only_initial && value->text != spec.initial) {
    return Status::Invalid(
        fmt::format("setting '{}' cannot be '{}': {}", name, text, spec.summary));
  }
  if (!value) {
    return Status::Invalid(fmt::format("setting '{}' cannot be '{}': {}", name,
                                       spec.secret ? kRedacted : text, value.error().message()));
  }
  Store(slot, *value);
  return {};
}

Answer Config::Set(const std::vector<std::pair<std::string, std::string>>& wanted,
                   bool holds_transaction) {
  struct Change {
    Slot* slot;
    SettingValue before;
    SettingValue after;

    Status Apply(const SettingValue& value) const {
      return slot->hook && before.text != after.text ? slot->hook(value) : Status();
    }
  };
  std::unique_lock lock(changing_, std::defer_lock);
  if (!holds_transaction) lock.lock();
  if (holds_transaction && !lock.try_lock()) {
    return Failed(wanted.front().first, "another CONFIG SET is under way");
  }
  std::vector<Change> changes;
  for (const auto& [name, text] : wanted) {
    Slot* const slot = Find(ToLower(name));
    if (slot == nullptr) {
      return Answer::Error(
          fmt::format("ERR Unknown option or number of arguments for CONFIG SET - '{}'", name));
    }
    if (std::any_of(changes.begin(), changes.end(), [&](auto& c) { return c.slot == slot; })) {
      return Failed(name, "duplicate parameter");
    }
    const std::string current = TextOf(*slot);
    Result<SettingValue> value = ReadSetting(*slot->spec, text, current);
    // Setting the current value is no change, and allowed.
    if (slot->spec->use == SettingUse::kAtStart && (!value || value->text != current)) {
      return Failed(name, "can't set immutable config");
    }
    if (!value) return Failed(name, value.error().message());
    if (holds_transaction && slot->spec->kind == SettingKind::kNotify && value->text != current) {
      return Failed(name, "it cannot be changed within a transaction");
    }
    changes.push_back({slot, {current, slot->number}, *std::move(value)});
  }
  // Hooks may read each other's settings, so all are stored before the first hook is called.
  for (const Change& change : changes) Store(*change.slot, change.after);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Status applied = changes[i].Apply(changes[i].after);
    if (applied.ok()) continue;
    for (const Change& change : changes) Store(*change.slot, change.before);
    for (std::size_t undo = 0; undo < i; ++undo) {
      static_cast<void>(changes[undo].Apply(changes[undo].before));
    }
    return Failed(changes[i].slot->spec->name, applied.message());
  }
  return {};
}

void Config::OnChange(Setting setting, Hook hook) {
  slots_[IndexOf(setting)].hook = std::move(hook);
}

std::string Config::Text(Setting setting) const { return TextOf(SlotOf(setting)); }

std::vector<std::pair<std::string, std::string>> Config::Match(
    const std::vector<std::string>& patterns) const {
  std::map<std::string, std::string> found;
  const std::lock_guard lock(mutex_);
  for (const auto& known : by_name_) {
    const auto& name = known.first;
    const auto* const slot = known.second;
    const bool matches = std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
      if (slot->spec->hidden) return EqualsIgnoringCase(pattern, name);
      return GlobMatches(pattern, name, GlobCase::kInsensitive);
    });
    if (matches) found.emplace(name, slot->text);
  }
  return {found.begin(), found.end()};
}

std::vector<std::pair<std::string, std::string>> Config::Changed() const {
  std::vector<std::pair<std::string, std::string>> changed;
  const std::lock_guard lock(mutex_);
  for (const Slot& slot : slots_) {
    const Result<SettingValue> initial = ReadSetting(*slot.spec, slot.spec->initial);
    if (slot.text != initial->text) changed.emplace_back(slot.spec->name, slot.text);
  }
  return changed;
}

std::vector<std::pair<std::string, std::string>> Config::WithoutEffect() const {
  constexpr std::string_view kWords = "No effect: ";
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const auto& [name, text] : Changed()) {
    const SettingSpec& spec = *Find(name)->spec;
    if (!spec.HasEffect()) reasons.emplace_back(name, spec.summary.substr(kWords.size()));
  }
  return reasons;
}

}  // namespace mayfly::server
