// config.h - the current settings.
// Filled once from the defaults, the file and the flags; then changed by CONFIG SET, whose settings
// take effect together or not at all. Safe to call from any thread; hooks run one change at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mayfly/status.h"
#include "server/command/answer.h"
#include "server/config/setting_spec.h"
#include "server/config/setting_value.h"

namespace mayfly::server {

class Config {
 public:
  Config();  // The defaults.
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  // For the file and the flags, before the server runs: every setting can be set. Invalid, naming
  // the setting, when it does not exist or the text is no value of it.
  Status SetAtStart(Bytes name, Bytes text);
  Status SetAtStart(Setting setting, Bytes text);

  // CONFIG SET: all of them or none, with Redis' errors. A caller that holds a latched transaction
  // never waits, and cannot change notify-keyspace-events: the database follows that by waiting for
  // all transactions to end.
  Answer Set(const std::vector<std::pair<std::string, std::string>>& wanted,
             bool holds_transaction = false);

  // Called with the new value when a setting changes; a hook that refuses undoes the change.
  using Hook = std::function<Status(const SettingValue& value)>;
  void OnChange(Setting setting, Hook hook);

  std::string Text(Setting setting) const;  // Of any kind, as CONFIG GET tells it.
  std::int64_t Number(NumberSetting setting) const { return Watched(setting); }
  bool IsOn(SwitchSetting setting) const { return SlotOf(setting.setting()).number != 0; }

  // The number itself, for callers that read it often.
  const std::atomic<std::int64_t>& Watched(NumberSetting setting) const {
    return SlotOf(setting.setting()).number;
  }

  // Names and values that match one of the patterns, aliases included, once each, by name.
  std::vector<std::pair<std::string, std::string>> Match(
      const std::vector<std::string>& patterns) const;

  // Settings whose value is not the default.
  std::vector<std::pair<std::string, std::string>> Changed() const;

  // The configuration file; empty: none.
  const std::string& file() const { return file_; }
  void set_file(std::string path) { file_ = std::move(path); }

  // Lines of the file that define users: "user NAME RULE ...".
  const std::vector<std::string>& user_lines() const { return user_lines_; }
  void AddUserLine(std::string line) { user_lines_.push_back(std::move(line)); }

  // Lines "rename-command NAME NEW" of the file; an empty new name takes the command away.
  const std::vector<std::pair<std::string, std::string>>& renames() const { return renames_; }
  void AddRename(std::string name, std::string fresh) {
    renames_.emplace_back(std::move(name), std::move(fresh));
  }

  // Settings without an effect here that are not at their default, and why.
  std::vector<std::pair<std::string, std::string>> WithoutEffect() const;

  // Held while the file is rewritten: a later rewrite writes newer values.
  std::mutex& rewriting() const { return rewriting_; }

 private:
  struct Slot {
    const SettingSpec* spec = nullptr;
    std::string text;  // Guarded by mutex_.
    std::atomic<std::int64_t> number = 0;
    Hook hook;  // Set before the server runs.
  };

  const Slot& SlotOf(Setting setting) const { return slots_[IndexOf(setting)]; }
  Slot* Find(std::string_view name) const;
  std::string TextOf(const Slot& slot) const;
  Status SetAtStart(Slot& slot, Bytes name, Bytes text);
  void Store(Slot& slot, const SettingValue& value);

  std::array<Slot, kSettingCount> slots_;
  std::unordered_map<std::string_view, Slot*> by_name_;  // Aliases, too.
  std::string file_;                                     // These two: before the server runs.
  std::vector<std::string> user_lines_;
  std::vector<std::pair<std::string, std::string>> renames_;  // As well.
  mutable std::mutex rewriting_;                              // Taken before mutex_.
  std::mutex changing_;  // One CONFIG SET at a time; taken before mutex_.
  mutable std::mutex mutex_;
};

}  // namespace mayfly::server
