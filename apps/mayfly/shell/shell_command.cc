#include "apps/mayfly/shell/shell_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "apps/mayfly/shell/command_names.h"
#include "apps/mayfly/shell/line_editor.h"
#include "apps/mayfly/shell/private_server.h"
#include "apps/mayfly/shell/reply_text.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "base/text.h"
#include "wire/inline_command.h"

namespace mayfly::app {
namespace {

struct ShellFlags {
  TargetFlags target;
  OutputFlags output;
  std::string command;
  bool no_history = false;
};

// The arguments of a line; nothing, with a message, if a quote is not closed.
std::optional<std::vector<std::string>> ArgsOf(std::string line) {
  std::vector<Bytes> views;
  if (!SplitInlineCommand(line.data(), line.data() + line.size(), views)) {
    fmt::print(stderr, "mayfly: a quote is not closed, or not followed by a blank\n");
    return std::nullopt;
  }
  return std::vector<std::string>(views.begin(), views.end());
}

class Shell {
 public:
  Shell(const ShellFlags& flags, TargetFlags reached)
      : flags_(flags), reached_(std::move(reached)), output_(flags.output) {}

  Status Connect() {
    MAYFLY_TRY(target_, OpenTarget(reached_, Access::kWrite));
    return {};
  }

  // Runs a line. False: it asks to end.
  Result<bool> RunLine(const std::string& line) {
    const auto args = ArgsOf(line);
    failed_ = !args;
    if (!args || args->empty()) return true;
    const std::string word = ToLower(args->front());
    if (Ends(word)) return false;
    if (word == "help" || word == "?") {  // The shell's own.
      Help(*args);
      return true;
    }
    const server::CommandEntry* const entry = names_.Find(*args);
    if (entry != nullptr && Streams(*entry)) return Listen(*args);
    MAYFLY_TRY(const Reply reply, target_->Command(*args));
    Print(reply);
    failed_ = reply.is_error();
    return true;
  }

  Result<ExitCode> Converse() {
    LineEditor editor(
        {.prompt = target_->keyspace() + "> ",
         .history_file = HistoryFile(),
         .completions = [&](std::string_view line) { return names_.Completions(line); },
         .hint = [&](std::string_view line) { return names_.Hint(line); }});
    output_.Note(fmt::format("{}. Tab completes, `help` lists commands, Ctrl-D ends.",
                             flags_.target.target));
    while (true) {
      const auto line = editor.Read();
      if (!line) break;
      if (line->empty()) continue;
      if (!Ends(ToLower(*line)) && !HasSecret(*line)) editor.Remember(*line);
      const auto goes_on = RunLine(*line);
      if (TakeInterrupt()) {
        CatchInterrupts();  // The handler is gone with the first signal.
        MAYFLY_RETURN_IF_ERROR(Connect());
        continue;
      }
      MAYFLY_RETURN_IF_ERROR(goes_on.status());
      if (!*goes_on) break;
    }
    return kExitDone;
  }

  // Lines from a pipe or a file.
  Result<ExitCode> RunScript() {
    bool any_failed = false;
    std::string line;
    for (int c = 0; c != EOF && !Interrupted();) {
      c = std::getc(stdin);
      if (c != '\n' && c != EOF) {
        line.push_back(static_cast<char>(c));
        continue;
      }
      MAYFLY_TRY(const bool goes_on, RunLine(line));
      any_failed = any_failed || failed_;
      line.clear();
      if (!goes_on) break;
    }
    return any_failed ? kExitFailed : kExitDone;
  }

  bool failed() const { return failed_; }

 private:
  static bool Ends(const std::string& word) { return word == "quit" || word == "exit"; }

  static bool Streams(const server::CommandEntry& entry) {
    return entry.Is(server::kSubscribes) || entry.Is(server::kPatterns) ||
           entry.Is(server::kStreams);
  }

  // Passwords are not kept.
  bool HasSecret(const std::string& line) const {
    std::vector<Bytes> views;
    std::string copy = line;
    if (!SplitInlineCommand(copy.data(), copy.data() + copy.size(), views)) return true;
    const server::CommandEntry* const entry =
        names_.Find(std::vector<std::string>(views.begin(), views.end()));
    return entry != nullptr && entry->spec->secrets != nullptr;
  }

  std::string HistoryFile() const {
    const char* const home = std::getenv("HOME");
    return flags_.no_history || home == nullptr ? "" : std::string(home) + "/.mayfly_history";
  }

  void Print(const Reply& reply) const {
    output_.Bytes(ReplyText(reply, output_));
    std::fflush(stdout);
  }

  void Help(const std::vector<std::string>& args) const {
    std::string prefix;
    for (std::size_t i = 1; i < args.size(); ++i) prefix += (i > 1 ? " " : "") + ToLower(args[i]);
    Output output(flags_.output);
    for (auto& [name, summary] : names_.Summaries(prefix)) {
      output.Row({{"command", Cell::Text(name)}, {"summary", Cell::Text(summary)}});
    }
    output.End();
  }

  // Messages as they come, until Ctrl-C or the end of the connection.
  Result<bool> Listen(const std::vector<std::string>& args) {
    MAYFLY_RETURN_IF_ERROR(target_->Listen(args, [&](const Reply& reply) {
      Print(reply);
      return std::ferror(stdout) == 0 && !reply.is_error();
    }));
    return true;
  }

  const ShellFlags& flags_;
  const TargetFlags reached_;
  const Output output_;
  const CommandNames names_;
  std::unique_ptr<Target> target_;
  bool failed_ = false;
};

Result<ExitCode> RunShell(const ShellFlags& flags) {
  TargetFlags reached = flags.target;
  std::unique_ptr<PrivateServer> own;
  if (!IsUrl(flags.target.target)) {
    MAYFLY_TRY(own, PrivateServer::Start(flags.target));
    reached.target = own->url();
    reached.key_file.clear();
  }
  Shell shell(flags, reached);
  MAYFLY_RETURN_IF_ERROR(shell.Connect());
  if (!flags.command.empty()) {
    MAYFLY_RETURN_IF_ERROR(shell.RunLine(flags.command).status());
    return shell.failed() ? kExitFailed : kExitDone;
  }
  return ::isatty(STDIN_FILENO) != 0 ? shell.Converse() : shell.RunScript();
}

}  // namespace

void AddShell(Commands& commands) {
  const auto flags = std::make_shared<ShellFlags>();
  CLI::App* const shell = commands.Add(
      commands.app(), "shell",
      "Type commands of the Redis protocol, with history and completion. A folder is served to\n"
      "this process alone meanwhile; it must be one of a server, or new. In a pipe, each line of\n"
      "standard input is a command; exit code 1: one of them failed.",
      {"mayfly shell --url redis://localhost", "mayfly shell data",
       "mayfly shell data -c 'HSET user:7 name alice'", "mayfly shell data < commands.txt"},
      [=] { return RunShell(*flags); });
  AddTarget(*shell, flags->target);
  shell->add_option("-c,--command", flags->command, "Run this command and end.");
  shell->add_flag("--no-history", flags->no_history, "Keep no history in ~/.mayfly_history.");
  AddKeyspace(*shell, flags->target);
  AddCreate(*shell, flags->target);
  AddOutput(*shell, flags->output);
}

}  // namespace mayfly::app
