// man_page.cc - a subcommand's manual page, in roff.
#include <fmt/format.h>

#include <algorithm>

#include "apps/mayfly/pages/pages_command.h"
#include "base/text.h"

namespace mayfly::app {
namespace {

// A line that begins with a dot or a quote would be a request; backslashes and dashes have meanings.
std::string Roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out.push_back(c);
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string Joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<const CLI::Option*> Positionals(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* one) { return one->get_positional() && !one->nonpositional(); });
}

std::string Synopsis(const CLI::App& command, const std::string& full_name) {
  std::string text = fmt::format(".B {}\n[OPTIONS]", Roff(full_name));
  for (const CLI::Option* one : Positionals(command)) {
    const std::string name = one->get_name(true);
    text += one->get_required() ? " " + name : " [" + name + "]";
  }
  if (!ShownCommands(command).empty()) text += " [SUBCOMMAND]";
  return text + "\n";
}

std::string Options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* one : Positionals(command)) {
    text += fmt::format(".TP\n.B {}\n{}\n", one->get_name(true), Roff(one->get_description()));
  }
  for (const CLI::Option* one : ShownOptions(command)) {
    const std::string type = one->get_type_size() > 0 ? " " + one->get_type_name() : "";
    text += fmt::format(".TP\n.B {}{}\n{}\n", Roff(Joined(FlagNames(*one), ", ")), type,
                        Roff(one->get_description()));
  }
  return text;
}

constexpr std::string_view kExitCodes =
    ".SH EXIT STATUS\n0: done. 1: failed. 2: called wrongly. 3: a check or a proof found "
    "something, "
    "or a copy is incomplete. 4: there is no such key. 130: interrupted.\n";

}  // namespace

std::string ManPage(const CLI::App& command, const std::string& full_name) {
  std::string dashed = full_name;
  std::replace(dashed.begin(), dashed.end(), ' ', '-');
  std::string page =
      fmt::format(".TH {} 1 \"\" \"mayfly {}\" \"mayfly\"\n", ToUpper(dashed), MAYFLY_VERSION);
  page +=
      fmt::format(".SH NAME\n{} \\- {}\n", Roff(dashed), Roff(Summary(command.get_description())));
  page += ".SH SYNOPSIS\n" + Synopsis(command, full_name);
  page += ".SH DESCRIPTION\n" + Roff(command.get_description()) + "\n";
  page += ".SH OPTIONS\n" + Options(command);
  if (const auto commands = ShownCommands(command); !commands.empty()) {
    page += ".SH SUBCOMMANDS\n";
    for (const CLI::App* one : commands) {
      page +=
          fmt::format(".TP\n.B {}\n{}\nSee\n.BR {}\\-{} (1).\n", one->get_name(),
                      Roff(Summary(one->get_description()) + "."), Roff(dashed), one->get_name());
    }
  }
  if (const std::string examples = command.get_footer(); !examples.empty()) {
    page += ".SH EXAMPLES\n.nf\n" + Roff(examples.substr(examples.find('\n') + 1)) + ".fi\n";
  }
  page += kExitCodes;
  if (full_name != "mayfly") page += ".SH SEE ALSO\n.BR mayfly (1)\n";
  return page;
}

}  // namespace mayfly::app
