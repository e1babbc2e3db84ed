// pages_command.h - `mayfly pages FOLDER`, hidden: writes man pages and completions of shells from
// the description of the subcommands, at build time.
//   FOLDER/man/man1/mayfly.1, mayfly-get.1, ...
//   FOLDER/bash-completion/completions/mayfly
//   FOLDER/zsh/site-functions/_mayfly
//   FOLDER/doc/mayfly/subcommands.md, which docs/command_line.md contains
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddPages(Commands& commands);

// The parts, of a description that is complete.
std::string ManPage(const CLI::App& command, const std::string& full_name);
std::string BashCompletion(const CLI::App& app);
std::string ZshCompletion(const CLI::App& app);
std::string SubcommandTable(const CLI::App& app);  // Markdown.

// Subcommands that are not hidden.
std::vector<const CLI::App*> ShownCommands(const CLI::App& app);

// Options that are not hidden, and no positionals.
std::vector<const CLI::Option*> ShownOptions(const CLI::App& app);

// "--url", "-k" and so on, with their dashes.
std::vector<std::string> FlagNames(const CLI::Option& option);

// The first sentence.
std::string Summary(const std::string& description);

}  // namespace mayfly::app
