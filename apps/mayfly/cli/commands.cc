#include "apps/mayfly/cli/commands.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "apps/mayfly/target/key_file.h"
#include "apps/mayfly/target/server_url.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"

namespace mayfly::app {

CLI::App* Commands::Add(CLI::App& parent, const std::string& name, const std::string& summary,
                        const std::vector<std::string>& examples, Run run) {
  CLI::App* const command = parent.add_subcommand(name, summary);
  std::string footer;
  for (const std::string& line : examples) footer += "\n  " + line;
  if (!footer.empty()) command->footer("Examples:" + footer + "\n");
  entries_.push_back({command, std::move(run)});
  return command;
}

int Commands::RunParsed() const {
  const Entry* chosen = nullptr;
  // A subcommand's own subcommands are behind it.
  for (const Entry& entry : entries_) {
    if (entry.command->parsed()) chosen = &entry;
  }
  if (chosen == nullptr || chosen->run == nullptr) {
    fmt::print(stderr, "A subcommand is required.\n{}",
               chosen == nullptr ? app_.help() : chosen->command->help(app_.get_name()));
    return kExitUsage;
  }
  const Result<ExitCode> code = chosen->run();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (Interrupted()) {
    fmt::print(stderr, "mayfly: interrupted\n");
    return kExitInterrupted;
  }
  if (!code) PrintError(code.error());
  if (!written) ReportUnwritten();
  return !code || !written ? kExitFailed : *code;
}

// A reader that has gone, as in `mayfly scan data | head`, wants to hear nothing.
void ReportUnwritten() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  const bool reader_gone = ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
  if (!reader_gone) fmt::print(stderr, "mayfly: the output could not be written\n");
}

void AddTarget(CLI::App& command, TargetFlags& flags) {
  command.add_option("TARGET", flags.target, "The database's folder, or a server's URL.")
      ->required()
      ->check(CheckTarget)
      ->type_name("DIR|URL");
  // ArgumentsOf() takes it out before CLI11 sees it; here it is for the help.
  command
      .add_option("--url",
                  "A running server, in place of TARGET: redis://[user:password@]host[:port][/db], "
                  "rediss://... for TLS, or unix:///path. The password may also be in the "
                  "environment, as MAYFLY_PASSWORD.")
      ->type_name("URL");
  command.add_option("--tls-ca", flags.tls_ca, "Certificates to trust for rediss://, PEM.")
      ->type_name("FILE");
  command.add_flag("--tls-insecure", flags.tls_insecure,
                   "Accept any certificate of the server; for tests.");
  command
      .add_option_function<std::string>(
          "--timeout",
          [&flags](const std::string& text) {
            flags.timeout = text == "none" ? kForever : ParseDuration(text).value();
          },
          "How long to wait for the connection to a server, and for each reply: 5s, 2m, or none "
          "(default: 30s; commands typed into the shell have none).")
      ->check(CheckTimeout)
      ->type_name("LENGTH");
  AddKeyFile(command, flags.key_file);
}

void AddKeyspace(CLI::App& command, TargetFlags& flags) {
  command
      .add_option("-k,--keyspace", flags.keyspace,
                  "The keyspace (default: that of the URL; db0 in a folder of a server; otherwise "
                  "'default').")
      ->type_name("NAME");
}

void AddCreate(CLI::App& command, TargetFlags& flags) {
  flags.offers_create = true;
  command.add_flag("--create", flags.create, "Make the database, or the keyspace, if missing.");
}

void AddOutput(CLI::App& command, OutputFlags& flags) {
  CLI::Option* const json = command.add_flag("--json", flags.json, "Print JSON, an object a line.");
  command
      .add_flag("--raw", flags.raw, "Print as in a pipe: tabs between cells, no titles or units.")
      ->excludes(json);
  command.add_flag("--no-color", flags.no_color,
                   "No colours; NO_COLOR in the environment does the same.");
}

std::vector<std::string> ArgumentsOf(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const bool asks_help = !args.empty() && args.front() == "help";
  if (asks_help) args.erase(args.begin());
  const CLI::App* command = &app;
  std::size_t words = 0;  // Names of subcommands in front.
  while (words < args.size()) {
    const auto all = command->get_subcommands([](const CLI::App*) { return true; });
    const auto next = std::find_if(
        all.begin(), all.end(), [&](const CLI::App* one) { return one->check_name(args[words]); });
    if (next == all.end()) break;
    command = *next;
    ++words;
  }
  // Behind an unknown name it would hide that.
  if (asks_help && words == args.size()) args.emplace_back("--help");
  if (command->get_option_no_throw("--url") == nullptr) return args;
  for (std::size_t i = words; i < args.size(); ++i) {
    if (args[i] == "--") break;
    const bool joined = args[i].starts_with("--url=");
    if (!joined && (args[i] != "--url" || i + 1 == args.size())) continue;
    const std::string url = joined ? args[i].substr(6) : args[i + 1];
    const auto at = args.begin() + static_cast<std::ptrdiff_t>(i);
    args.erase(at, at + (joined ? 1 : 2));
    args.insert(args.begin() + static_cast<std::ptrdiff_t>(words), url);
    break;
  }
  return args;
}

namespace {

std::string CheckWhole(const std::string& text, std::uint64_t least) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool good = error == std::errc() && stop == end && number >= least;
  return good ? "" : fmt::format("'{}' is no whole number of {} or more", text, least);
}

}  // namespace

std::string CheckCount(const std::string& text) { return CheckWhole(text, 1); }
std::string CheckNumber(const std::string& text) { return CheckWhole(text, 0); }

std::string CheckDuration(const std::string& text) {
  const auto length = ParseDuration(text);
  if (!length) return std::string(length.error().message());
  return *length > Millis(0) ? "" : "it must be more than zero";
}

std::string CheckTimeout(const std::string& text) {
  return text == "none" ? "" : CheckDuration(text);
}

std::string CheckTarget(const std::string& text) {
  if (text.find("://") == std::string::npos) return "";
  const auto url = ParseServerUrl(text);
  return url ? "" : std::string(url.error().message());
}

std::string CheckInstant(const std::string& text) {
  const auto instant = ParseInstant(text);
  return instant ? "" : std::string(instant.error().message());
}

void PrintError(const Status& status) { fmt::print(stderr, "mayfly: {}\n", status.ToString()); }

}  // namespace mayfly::app
