// main.cc - flags and subcommands of the executable; the work is done elsewhere.
// Exit codes: 0 done, 1 it failed, 2 it was called wrongly, 130 interrupted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "demo.h"
#include "interrupt.h"
#include "mayfly/status.h"

namespace mayfly::app {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;  // As a shell reports a program ended by Ctrl-C.

struct Flags {
  std::string directory;
};

int RunDemoCommand(const Flags& flags) {
  const Status status = RunDemo(flags.directory);
  if (Interrupted()) {
    fmt::print(stderr, "mayfly: interrupted\n");
    return kExitInterrupted;
  }
  if (!status.ok()) {
    fmt::print(stderr, "mayfly: {}\n", status.ToString());
    return kExitFailed;
  }
  return std::ferror(stdout) != 0 ? kExitFailed : 0;
}

int Main(int argc, char** argv) {
  CatchInterrupts();
  const std::string version = "mayfly " MAYFLY_VERSION;
  Flags flags;

  CLI::App app("A key-value database in which every row can carry the instant it dies.", "mayfly");
  app.set_version_flag("--version", version);
  app.require_subcommand(0,
                         1);  // None is our own case: CLI11 would hide a mistyped name behind it.
  CLI::App* demo = app.add_subcommand("demo", "Show, step by step, what the engine does.");
  demo->add_option("--dir", flags.directory,
                   "Keep the demo's database in this folder (default: a temporary one, removed "
                   "afterwards).");
  CLI::App* print_version = app.add_subcommand("version", "Print the version.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (print_version->parsed()) {
    fmt::print("{}\n", version);
    return 0;
  }
  if (demo->parsed()) return RunDemoCommand(flags);
  fmt::print(stderr, "A subcommand is required.\n{}", app.help());
  return kExitUsage;
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
