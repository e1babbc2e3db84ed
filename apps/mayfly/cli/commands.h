// commands.h - the subcommands of the program, their flags, and how one of them runs.
// A group of subcommands adds itself with Add() and names what runs them; main() knows the groups
// alone. Help, man pages and completions are made from the same CLI11 description.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "apps/mayfly/cli/exit_codes.h"
#include "apps/mayfly/target/target.h"
#include "apps/mayfly/terminal/output.h"
#include "mayfly/result.h"

namespace mayfly::app {

class Commands {
 public:
  // An error is printed, with exit code 1.
  using Run = std::function<Result<ExitCode>()>;

  explicit Commands(CLI::App& app) : app_(app) {}

  CLI::App& app() { return app_; }

  // Adds a subcommand of the program or of another one. `examples`: lines for its help.
  CLI::App* Add(CLI::App& parent, const std::string& name, const std::string& summary,
                const std::vector<std::string>& examples, Run run = nullptr);

  // Runs the subcommand that was parsed. kExitUsage, with the help, when there is none.
  int RunParsed() const;

 private:
  struct Entry {
    CLI::App* command;
    Run run;
  };

  CLI::App& app_;
  std::vector<Entry> entries_;
};

// TARGET, --url and the flags of both kinds of target.
void AddTarget(CLI::App& command, TargetFlags& flags);
void AddKeyspace(CLI::App& command, TargetFlags& flags);
void AddCreate(CLI::App& command, TargetFlags& flags);
void AddOutput(CLI::App& command, OutputFlags& flags);

// The arguments without the program's name, as CLI11 knows them: `--url URL`, which may stand
// anywhere behind a subcommand that has it, in the place of TARGET; `help get` as `get --help`.
std::vector<std::string> ArgumentsOf(const CLI::App& app, int argc, char** argv);

// Checks of CLI11: the error, or empty.
std::string CheckCount(const std::string& text);
std::string CheckNumber(const std::string& text);
std::string CheckDuration(const std::string& text);
std::string CheckTimeout(const std::string& text);
std::string CheckTarget(const std::string& text);
std::string CheckInstant(const std::string& text);

// Says that standard output could not be written, unless its reader has gone.
void ReportUnwritten();

// Prints an error as every subcommand does.
void PrintError(const Status& status);

}  // namespace mayfly::app
