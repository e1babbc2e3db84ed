// setting_spec.h - the table of settings, from the lines of settings.inc.
// The configuration file, the flags of `mayfly serve`, CONFIG GET, SET and REWRITE and the manual
// all read it. A name that Redis has and that means nothing here is listed as well, since clients
// and tests set it, and its line says why it has no effect.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "server/config/setting.h"

namespace mayfly::server {

enum class SettingUse : std::uint8_t {
  kLive,      // Can be set while the server runs.
  kAtStart,   // From the file or by a flag alone.
  kNoEffect,  // Can be set, and is only stored.
};

// The choices of appendfsync, by their place.
enum class FsyncMode : std::int64_t { kEverySecond = 0, kAlways = 1, kNever = 2 };

struct SettingSpec {
  std::string_view name;
  SettingKind kind;
  std::string_view initial;
  SettingUse use;
  std::string_view summary;  // One sentence; for kNoEffect: why.
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::string_view choices = {};  // With '|' between them.

  // CONFIG GET shows it by its exact name, and not for patterns.
  bool hidden = false;

  // A password or the like: shown by CONFIG GET only.
  bool secret = false;

  // Any other value asks for something not offered: it is refused, and the summary says why.
  bool only_initial = false;

  // Some without an effect can be set at the start alone, as in Redis.
  bool HasEffect() const { return !summary.starts_with("No effect: "); }
};

// In the order of the manual, which is that of the enumerators.
std::span<const SettingSpec> AllSettings();
const SettingSpec& SpecOf(Setting setting);

// By its name or an alias, in any case; null when there is none.
const SettingSpec* FindSetting(std::string_view name);

// Another name for a setting, such as Redis' older ones.
struct SettingAlias {
  std::string_view alias;
  Setting setting;
};
std::span<const SettingAlias> SettingAliases();

}  // namespace mayfly::server
