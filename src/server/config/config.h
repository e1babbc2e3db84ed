// config.h - the settings as they are now.
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

  // Before the server runs, from a file or flags: every setting can be set. Invalid, naming the
  // setting, when there is none of that name or the text is no value of it.
  Status SetAtStart(Bytes name, Bytes text);

  // CONFIG SET: all of them or none, with Redis' errors. Whoever holds a latched transaction waits
  // for nobody, and cannot change what the database has to follow: that needs all transactions to
  // be over.
  Answer Set(const std::vector<std::pair<std::string, std::string>>& wanted,
             bool holds_transaction = false);

  // Called with the new value when a setting changes; a hook that refuses undoes the change.
  using Hook = std::function<Status(const SettingValue& value)>;
  void OnChange(std::string_view name, Hook hook);

  // Asking for a setting that is not in the table is a fault of ours.
  std::string Text(std::string_view name) const;
  std::int64_t Number(std::string_view name) const;
  bool IsOn(std::string_view name) const { return Number(name) != 0; }

  // The number itself, for whoever looks often.
  const std::atomic<std::int64_t>& Watched(std::string_view name) const;

  // Names and values that match one of the patterns, aliases included, once each, by name.
  std::vector<std::pair<std::string, std::string>> Match(
      const std::vector<std::string>& patterns) const;

  // Settings whose value is not the default.
  std::vector<std::pair<std::string, std::string>> Changed() const;

  // Where the settings came from; empty: no file.
  const std::string& file() const { return file_; }
  void set_file(std::string path) { file_ = std::move(path); }

  // Lines of the file that tell of users: "user NAME RULE ...".
  const std::vector<std::string>& user_lines() const { return user_lines_; }
  void AddUserLine(std::string line) { user_lines_.push_back(std::move(line)); }

  // Settings that are not at their default and do nothing here, and why.
  std::vector<std::pair<std::string, std::string>> WithoutEffect() const;

  // Held by whoever rewrites the file: who comes later writes later, and newer values.
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
  std::unordered_map<std::string_view, Slot*> by_name_;  // Aliases, too.
  std::string file_;                                     // These two: before the server runs.
  std::vector<std::string> user_lines_;
  mutable std::mutex rewriting_;  // Taken before mutex_.
  std::mutex changing_;           // One CONFIG SET at a time; taken before mutex_.
  mutable std::mutex mutex_;
};

}  // namespace mayfly::server
