// setting.h - an enumerator for every setting, made from the lines of settings.inc.
// Code names a setting by its enumerator: a typo does not compile, and neither does asking for the
// number of a text. Users name settings by text; setting_spec.h finds those.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mayfly::server {

enum class SettingKind : std::uint8_t {
  kInteger,
  kMemory,           // Bytes: "100", "64kb", "1gb".
  kMemoryOrPercent,  // Bytes, or a part of maxmemory: "5%".
  kBoolean,          // "yes" or "no".
  kChoice,           // One of `choices`.
  kText,             // As it is.
  kOutputLimits,     // client-output-buffer-limit.
  kNotify,           // notify-keyspace-events.
  kOctal,            // Permissions.
  kPercentiles,      // Numbers from 0 to 100, with blanks between them.
};

enum class Setting : std::uint8_t {
#define MAYFLY_SETTING(setting, ...) setting,
#include "server/config/settings.inc"
};

inline constexpr std::array kSettingKinds = {
#define MAYFLY_SETTING(setting, kind, ...) SettingKind::kind,
#include "server/config/settings.inc"
};
inline constexpr std::size_t kSettingCount = kSettingKinds.size();

constexpr std::size_t IndexOf(Setting setting) { return static_cast<std::size_t>(setting); }
constexpr SettingKind KindOf(Setting setting) { return kSettingKinds[IndexOf(setting)]; }

// A setting with a number, see SettingValue. Enumerators convert to it at compile time; that of a
// text is a compile error, as in SwitchSetting that of anything but a switch.
class NumberSetting {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): callers name the enumerator.
  consteval NumberSetting(Setting setting) : setting_(setting) {
    const SettingKind kind = KindOf(setting);
    if (kind == SettingKind::kText || kind == SettingKind::kPercentiles) {
      throw "this setting has no number";
    }
  }
  constexpr Setting setting() const { return setting_; }

 private:
  Setting setting_;
};

// A setting that is "yes" or "no".
class SwitchSetting {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as above.
  consteval SwitchSetting(Setting setting) : setting_(setting) {
    if (KindOf(setting) != SettingKind::kBoolean) throw "this setting is neither yes nor no";
  }
  constexpr Setting setting() const { return setting_; }

 private:
  Setting setting_;
};

}  // namespace mayfly::server
