// main.cc - the executable: its groups of subcommands, each of which has its own files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "apps/mayfly/cli/commands.h"
#include "apps/mayfly/demo.h"
#include "apps/mayfly/expiry/expiry_commands.h"
#include "apps/mayfly/keyspaces/keyspace_commands.h"
#include "apps/mayfly/live/live_commands.h"
#include "apps/mayfly/pages/pages_command.h"
#include "apps/mayfly/rows/row_commands.h"
#include "apps/mayfly/serve/reencrypt.h"
#include "apps/mayfly/serve/serve_command.h"
#include "apps/mayfly/shell/shell_command.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/transfer/transfer_commands.h"
#include "apps/mayfly/upkeep/upkeep_commands.h"

namespace mayfly::app {
namespace {

void AddVersion(Commands& commands, const std::string& version) {
  commands.Add(commands.app(), "version", "Print the version.", {}, [=]() -> Result<ExitCode> {
    fmt::print("{}\n", version);
    return kExitDone;
  });
}

void AddDemo(Commands& commands) {
  const auto directory = std::make_shared<std::string>();
  CLI::App* const demo =
      commands.Add(commands.app(), "demo", "Show, step by step, what the engine does.",
                   {"mayfly demo"}, [=]() -> Result<ExitCode> {
                     MAYFLY_RETURN_IF_ERROR(RunDemo(*directory));
                     return kExitDone;
                   });
  demo->add_option("--dir", *directory,
                   "Keep the demo's database in this folder (default: a temporary one, removed "
                   "afterwards).");
}

int Main(int argc, char** argv) {
  CatchInterrupts();
  const std::string version = "mayfly " MAYFLY_VERSION;
  CLI::App app("A key-value database in which every row can carry the instant it dies.", "mayfly");
  app.set_version_flag("--version", version);
  // None is handled by Commands: CLI11's error would hide a mistyped name.
  app.require_subcommand(0, 1);
  Commands commands(app);
  AddServe(commands, version);
  AddRowCommands(commands);
  AddShell(commands);
  AddKeyspaceCommands(commands);
  AddForecast(commands);
  AddEvents(commands);
  AddStats(commands);
  AddPurge(commands);
  AddCompact(commands);
  AddBackup(commands);
  AddRestore(commands);
  AddCheck(commands);
  AddProve(commands);
  AddTop(commands);
  AddBench(commands);
  AddImport(commands);
  AddExport(commands);
  AddReencrypt(commands);
  AddDemo(commands);
  AddVersion(commands, version);
  AddPages(commands);
  std::vector<std::string> args = ArgumentsOf(app, argc, argv);
  std::reverse(args.begin(), args.end());  // As CLI11 takes them.
  try {
    app.parse(std::move(args));
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return kExitUsage;
    if (std::cout.flush()) return kExitDone;
    ReportUnwritten();
    return kExitFailed;
  }
  return commands.RunParsed();
}

}  // namespace
}  // namespace mayfly::app

int main(int argc, char** argv) {
  try {
    return mayfly::app::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mayfly: %s\n", error.what());
    return mayfly::app::kExitFailed;
  }
}
