#include "apps/mayfly/pages/pages_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

namespace mayfly::app {
namespace {

Status Write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (error || !file) return Status::IoError(fmt::format("cannot write {}", path.string()));
  return {};
}

Status WriteManPages(const CLI::App& command, const std::string& full_name,
                     const std::filesystem::path& folder) {
  std::string file = full_name;
  std::replace(file.begin(), file.end(), ' ', '-');
  MAYFLY_RETURN_IF_ERROR(Write(folder / (file + ".1"), ManPage(command, full_name)));
  for (const CLI::App* one : ShownCommands(command)) {
    MAYFLY_RETURN_IF_ERROR(WriteManPages(*one, full_name + " " + one->get_name(), folder));
  }
  return {};
}

Result<ExitCode> RunPages(const CLI::App& app, const std::filesystem::path& folder) {
  MAYFLY_RETURN_IF_ERROR(WriteManPages(app, "mayfly", folder / "man" / "man1"));
  MAYFLY_RETURN_IF_ERROR(
      Write(folder / "bash-completion" / "completions" / "mayfly", BashCompletion(app)));
  MAYFLY_RETURN_IF_ERROR(Write(folder / "doc" / "mayfly" / "subcommands.md", SubcommandTable(app)));
  MAYFLY_RETURN_IF_ERROR(Write(folder / "zsh" / "site-functions" / "_mayfly", ZshCompletion(app)));
  return kExitDone;
}

}  // namespace

std::vector<const CLI::App*> ShownCommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<const CLI::Option*> ShownOptions(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* one) { return !one->get_group().empty() && one->nonpositional(); });
}

std::vector<std::string> FlagNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string Summary(const std::string& description) {
  std::string text = description.substr(0, description.find(". "));
  text = text.substr(0, text.find(".\n"));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string SubcommandTable(const CLI::App& app) {
  std::string table = "| subcommand | what it does |\n|---|---|\n";
  const auto add = [&](const CLI::App& one, const std::string& name) {
    table += fmt::format("| `{}` | {}. |\n", name, Summary(one.get_description()));
  };
  for (const CLI::App* one : ShownCommands(app)) {
    const auto below = ShownCommands(*one);
    if (below.empty()) add(*one, one->get_name());
    for (const CLI::App* sub : below) add(*sub, one->get_name() + " " + sub->get_name());
  }
  return table;
}

void AddPages(Commands& commands) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* const app = &commands.app();
  CLI::App* const pages =
      commands.Add(*app, "pages", "Write man pages and completions.", {},
                   [=]() -> Result<ExitCode> { return RunPages(*app, *folder); });
  pages->group("");
  pages->add_option("FOLDER", *folder, "Where to write.")->required();
}

}  // namespace mayfly::app
