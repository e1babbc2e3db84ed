// command_names.h - completion and hints of the shell, from the table of the server's commands.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/command/command_table.h"

namespace mayfly::app {

class CommandNames {
 public:
  CommandNames();
  ~CommandNames();
  CommandNames(const CommandNames&) = delete;
  CommandNames& operator=(const CommandNames&) = delete;

  // What may stand in place of the last word of `line`, of which nothing may be typed yet: commands
  // for the first word, subcommands for the second. In the case that is typed.
  std::vector<std::string> Completions(std::string_view line) const;

  // One line about the command that `line` begins with; empty: its name is not complete.
  std::string Hint(std::string_view line) const;

  // The line of the table; null: unknown.
  const server::CommandEntry* Find(const std::vector<std::string>& args) const;

  // The names of commands that begin with `prefix`, each with its summary.
  std::vector<std::pair<std::string, std::string>> Summaries(std::string_view prefix) const;

 private:
  struct Front;
  std::unique_ptr<Front> front_;
};

}  // namespace mayfly::app
