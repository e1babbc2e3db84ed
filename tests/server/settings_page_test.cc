// Goal: docs/settings.md describes every setting as the table does, and no other.
// Method: the page is made anew from the table and compared. MAYFLY_UPDATE=1 writes it instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "server/config/setting_spec.h"
#include "server/page.h"

namespace mayfly::server {
namespace {

constexpr const char* kHead = R"(# Settings

Of `mayfly serve`, from the one table of settings. Each can be given as a flag (`--port 7000`) or as
a line of a file: `mayfly serve FILE`, or `--config FILE`; a flag wins over the file. The file is
TOML (`port = 7000`), or as Redis has it (`port 7000`, with `include`, `user` and `rename-command`
lines; `loadmodule` is refused). CONFIG GET shows all of them, CONFIG SET changes those that say
"any time", and CONFIG REWRITE writes what differs from the defaults, and the users, back to the
file. Sizes can have a unit: `64kb`, `1gb`.
)";

constexpr const char* kNoEffectHead = R"(
## Known, without effect

Settings of Redis that mean nothing here. They can be set where Redis lets them be set, since
clients and tools do, and CONFIG GET shows what was set. When the server starts, the log names those
that are not at their default, each with the reason.
`cluster-enabled yes` is refused, since what it asks for would not be so.

| setting | default | why |
|---|---|---|
)";

// '|' would end a column.
std::string InTable(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string Initial(const SettingSpec& spec) {
  return spec.initial.empty() ? "" : fmt::format("`{}`", spec.initial);
}

// The allowed values, where the summary does not name them.
std::string Values(const SettingSpec& spec) {
  if (spec.kind == SettingKind::kBoolean) return "`yes`, `no`";
  if (spec.kind == SettingKind::kMemory) return "bytes";
  if (spec.kind == SettingKind::kOctal) return "octal";
  if (spec.kind == SettingKind::kPercentiles) return "numbers from 0 to 100";
  if (spec.kind == SettingKind::kChoice) {
    std::string choices = fmt::format("`{}`", spec.choices);
    for (auto at = choices.find('|'); at != std::string::npos; at = choices.find('|')) {
      choices.replace(at, 1, "`, `");
    }
    return choices;
  }
  if (spec.kind != SettingKind::kInteger) return "text";
  const bool open = spec.max >= std::numeric_limits<std::int32_t>::max();
  return open ? fmt::format("from {}", spec.min) : fmt::format("{} to {}", spec.min, spec.max);
}

std::string MakePage() {
  std::string page = kHead;
  page += "\n| setting | default | values | when | what it means |\n|---|---|---|---|---|\n";
  std::string no_effect = kNoEffectHead;
  for (const SettingSpec& spec : AllSettings()) {
    if (!spec.HasEffect()) {
      no_effect += fmt::format("| `{}` | {} | {} |\n", spec.name, Initial(spec),
                               InTable(spec.summary.substr(spec.summary.find(':') + 2)));
      continue;
    }
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", spec.name, Initial(spec), Values(spec),
                        spec.use == SettingUse::kLive ? "any time" : "at the start",
                        InTable(spec.summary));
  }
  page += no_effect;
  page += "\n## Other names\n\nRedis' older ones, for the same settings.\n\n";
  page += "| name | setting |\n|---|---|\n";
  for (const SettingAlias& alias : SettingAliases()) {
    page += fmt::format("| `{}` | `{}` |\n", alias.alias, SpecOf(alias.setting).name);
  }
  return page;
}

TEST(SettingsPage, IsWhatTheTableSays) { ExpectPage(SETTINGS_PAGE, MakePage()); }

TEST(SettingsPage, WhatIsOnlyRememberedSaysWhy) {
  for (const SettingSpec& spec : AllSettings()) {
    EXPECT_FALSE(spec.use == SettingUse::kNoEffect && spec.HasEffect()) << spec.name;
    EXPECT_FALSE(spec.use == SettingUse::kLive && !spec.HasEffect()) << spec.name;
    EXPECT_TRUE(spec.summary.ends_with('.')) << spec.name;
  }
}

}  // namespace
}  // namespace mayfly::server
