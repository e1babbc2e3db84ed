// upkeep.h - the subcommands backup, restore and check, for a database that no server has open.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "mayfly/maintenance.h"
#include "mayfly/result.h"

namespace mayfly::app {

struct UpkeepFlags {
  std::string directory;
  std::string file;
  std::string key_file;         // With the database's password; empty: it is not encrypted.
  std::string backup_key_file;  // With that of a backup to be restored; empty: the same.
  bool salvage = false;
  bool repair = false;
  bool show_keys = false;
  std::string deadlines = "honour";
  std::int64_t shift_ms = 0;
};

CLI::App* AddBackup(CLI::App& app, UpkeepFlags& flags);
CLI::App* AddRestore(CLI::App& app, UpkeepFlags& flags);
CLI::App* AddCheck(CLI::App& app, UpkeepFlags& flags);

// Each returns true on success. False: a check found something, or a salvage left something out;
// standard output says what.
Result<bool> RunBackup(const UpkeepFlags& flags);
Result<bool> RunRestore(const UpkeepFlags& flags);
Result<bool> RunCheck(const UpkeepFlags& flags);

}  // namespace mayfly::app
