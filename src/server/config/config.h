// config.h - the current settings.
// Filled once from the defaults, the file and the flags; then changed by CONFIG SET, whose settings
// take effect together or not at all. Safe to call from any thread; hooks run one change at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
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

  // CONFIG SET: all of them or none, with Redis' errors. A caller that holds a latched transaction
  // never waits, and cannot change notify-keyspace-events: the database follows that by waiting for
  // all transactions to end.
  Answer Set(const std::vector<std::pair<std::string, std::string>>& wanted,
             bool holds_transaction = false);

  // Called with the new value when a setting changes; a hook that refuses undoes the change.
  using Hook = std::function<Status(const SettingValue& value)>;
  void OnChange(std::string_view name, Hook hook);

  // `name` must be in the table.
  std::string Text(std::string_view name) const;
  std::int64_t Number(std::string_view name) const;
  bool IsOn(std::string_view name) const { return Number(name) != 0; }

  // The number itself, for callers that read it often.
  const std::atomic<std::int64_t>& Watched(std::string_view name) const;

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

  // Settings without an effect here that are not at their default, and why.
  std::vector<std::pair<std::string, std::string>> WithoutEffect() const;

  // Held while the file is rewritten: a later rewrite writes newer values.
  std::mutex& rewriting() const { return rewriting_; }

 private:
  struct Slot {
    const SettingSpec* spec;
    std::string text;  // Guarded by mutex_.
    std::atomic<std::int64_t> number;
    Hook hook;  // Set before the server runs.
  };

  Slot* Find(std::string_view name) const;
  Slot& Must(std::string_view name) const;
  void Store(Slot& slot, const SettingValue& value);

  std::vector<std::unique_ptr<Slot>> slots_;
  std::unordered_map<std::string_view, Slot*> by_name_;  // Includes aliases.
  std::string file_;                                     // These two: before the server runs.
  std::vector<std::string> user_lines_;
  mutable std::mutex rewriting_;  // Taken before mutex_.
  std::mutex changing_;           // One CONFIG SET at a time; taken before mutex_.
  mutable std::mutex mutex_;
};

}  // namespace mayfly::server
