#include "apps/mayfly/serve/serve_command.h"

#include <fmt/format.h>

#include <memory>

#include "apps/mayfly/serve/serve.h"
#include "server/config/config.h"
#include "server/config/setting_spec.h"

namespace mayfly::app {
namespace {

// "auto|always|never" -> "auto, always or never; ". Nothing for other settings.
std::string ChoicesOf(const server::SettingSpec& spec) {
  std::string choices(spec.choices);
  if (choices.empty()) return {};
  const std::size_t last = choices.rfind('|');
  if (last != std::string::npos) choices.replace(last, 1, " or ");
  for (std::size_t at = 0; (at = choices.find('|', at)) != std::string::npos;) {
    choices.replace(at, 1, ", ");
  }
  return choices + "; ";
}

// Every setting is a flag of the same name; the last one given counts. Settings without effect are
// not shown.
void AddServeFlags(CLI::App& serve, ServeFlags& flags) {
  serve
      .add_option("FILE,--config", flags.config_file,
                  "Read settings from this file: TOML, or as Redis has it, such as redis.conf.")
      ->type_name("FILE");
  serve
      .add_option_function<std::string>(
          "--follow",
          [&flags](const std::string& text) { flags.settings.emplace_back("replicaof", text); },
          "Follow this Redis or mayfly, HOST:PORT: take a full copy of it, then its changes as "
          "they\n"
          "come, until REPLICAOF NO ONE. As --replicaof.")
      ->type_name("HOST:PORT")
      ->take_last();
  serve.add_flag("--manual-clock", flags.manual_clock,
                 "Time stands still until DEBUG CLOCK moves it; for tests.");
  for (const server::SettingSpec& spec : server::AllSettings()) {
    const std::string name(spec.name);
    serve
        .add_option_function<std::string>(
            "--" + name,
            [&flags, name](const std::string& text) { flags.settings.emplace_back(name, text); },
            fmt::format("{} ({}default: {})", spec.summary, ChoicesOf(spec),
                        spec.initial.empty() ? "none" : spec.initial))
        ->type_name("VALUE")
        ->take_last()
        ->group(spec.HasEffect() ? "Options" : "");
  }
}

Result<ExitCode> RunServeCommand(const ServeFlags& flags, const std::string& version) {
  server::Config config;
  const Status loaded = LoadSettings(flags, config);
  if (loaded.code() == StatusCode::kInvalid) {
    PrintError(loaded);
    return kExitUsage;
  }
  MAYFLY_RETURN_IF_ERROR(loaded);
  MAYFLY_RETURN_IF_ERROR(RunServe(flags, version, config));
  return kExitDone;
}

}  // namespace

void AddServe(Commands& commands, const std::string& version) {
  const auto flags = std::make_shared<ServeFlags>();
  CLI::App* const serve = commands.Add(
      commands.app(), "serve", "Serve a database in the Redis protocol, with metrics over HTTP.",
      {"mayfly serve --dir data", "mayfly serve mayfly.toml --port 6380"},
      [=] { return RunServeCommand(*flags, version); });
  AddServeFlags(*serve, *flags);
}

}  // namespace mayfly::app
