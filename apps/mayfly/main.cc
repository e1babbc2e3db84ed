// main.cc - flags and subcommands of the executable; each subcommand has its own file.
// Exit codes: 0 success, 1 failure, 2 wrong usage (an unknown flag or setting, or a bad value), 3 a
// check or proof found something, 130 interrupted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "demo.h"
#include "interrupt.h"
#include "mayfly/status.h"
#include "prove.h"
#include "reencrypt.h"
#include "serve.h"
#include "server/config/config.h"
#include "server/config/setting_spec.h"
#include "upkeep.h"

namespace mayfly::app {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNotProved = 3;
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

int ExitCodeOf(const Status& status) {
  if (status.ok()) return 0;
  fmt::print(stderr, "mayfly: {}\n", status.ToString());
  return kExitFailed;
}

int RunServeCommand(const ServeFlags& flags, const std::string& version) {
  server::Config config;
  const Status loaded = LoadSettings(flags, config);
  if (loaded.ok()) return ExitCodeOf(RunServe(flags, version, config));
  const int code = ExitCodeOf(loaded);
  return loaded.code() == StatusCode::kInvalid ? kExitUsage : code;
}

// The exit code of a command that checks something: `good` is true if it found nothing.
int ExitCodeOf(const Result<bool>& good) {
  if (!good) {
    fmt::print(stderr, "mayfly: {}\n", good.error().ToString());
    return kExitFailed;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return kExitFailed;
  return *good ? 0 : kExitNotProved;
}

// Every setting is a flag of the same name; the last one given counts. Settings without effect are
// not shown.
void AddServeFlags(CLI::App& serve, ServeFlags& flags) {
  serve
      .add_option("FILE,--config", flags.config_file,
                  "Read settings from this file: TOML, or as Redis has it, such as redis.conf.")
      ->type_name("FILE");
  serve.add_flag("--manual-clock", flags.manual_clock,
                 "Time stands still until DEBUG CLOCK moves it; for tests.");
  for (const server::SettingSpec& spec : server::AllSettings()) {
    const std::string name(spec.name);
    serve
        .add_option_function<std::string>(
            "--" + name,
            [&flags, name](const std::string& text) { flags.settings.emplace_back(name, text); },
            fmt::format("{} (default: {})", spec.summary,
                        spec.initial.empty() ? "none" : spec.initial))
        ->type_name("VALUE")
        ->take_last()
        ->group(spec.HasEffect() ? "Options" : "");
  }
}

// A check of hexadecimal digits for CLI11: the error, or empty.
std::string CheckHex(const std::string& hex) {
  const auto bytes = BytesFromHex(hex);
  return bytes ? std::string() : std::string(bytes.error().message());
}

int Main(int argc, char** argv) {
  CatchInterrupts();
  const std::string version = "mayfly " MAYFLY_VERSION;
  Flags flags;

  CLI::App app("A key-value database in which every row can carry the instant it dies.", "mayfly");
  app.set_version_flag("--version", version);
  app.require_subcommand(0,
                         1);  // None is handled below: CLI11's error would hide a mistyped name.
  CLI::App* demo = app.add_subcommand("demo", "Show, step by step, what the engine does.");
  demo->add_option("--dir", flags.directory,
                   "Keep the demo's database in this folder (default: a temporary one, removed "
                   "afterwards).");
  ProveFlags prove_flags;
  std::string find_hex;
  CLI::App* prove = app.add_subcommand(
      "prove",
      "Tell what is left of the dead in a database, where, and why. Exit code 3: a promise is\n"
      "broken, or what was searched for was found.");
  prove->add_option("DIR", prove_flags.directory, "The database's folder.")->required();
  CLI::Option* find = prove->add_option(
      "--find", prove_flags.find,
      "Look for this text in every file and log, compressed or not; not in backups.");
  find->check([](const std::string& text) { return std::string(text.empty() ? "no text" : ""); });
  prove->add_option("--find-hex", find_hex, "The same, for bytes given as hexadecimal digits.")
      ->check(CheckHex)
      ->excludes(find);
  prove->add_flag("--files", prove_flags.files, "Tell of each file.");
  AddKeyFile(*prove, prove_flags.key_file);
  ServeFlags serve_flags;
  CLI::App* serve = app.add_subcommand(
      "serve", "Serve a database in the Redis protocol, with metrics over HTTP.");
  AddServeFlags(*serve, serve_flags);
  UpkeepFlags upkeep;
  CLI::App* backup = AddBackup(app, upkeep);
  CLI::App* restore = AddRestore(app, upkeep);
  CLI::App* check = AddCheck(app, upkeep);
  ReencryptFlags reencrypt_flags;
  CLI::App* reencrypt = AddReencrypt(app, reencrypt_flags);
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
  if (serve->parsed()) return RunServeCommand(serve_flags, version);
  if (demo->parsed()) return RunDemoCommand(flags);
  if (backup->parsed()) return ExitCodeOf(RunBackup(upkeep));
  if (restore->parsed()) return ExitCodeOf(RunRestore(upkeep));
  if (check->parsed()) return ExitCodeOf(RunCheck(upkeep));
  if (reencrypt->parsed()) return ExitCodeOf(RunReencrypt(reencrypt_flags));
  if (prove->parsed()) {
    if (!find_hex.empty()) prove_flags.find = BytesFromHex(find_hex).value();
    return ExitCodeOf(RunProve(prove_flags));
  }
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
