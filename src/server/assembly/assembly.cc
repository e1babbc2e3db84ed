#include "server/assembly/assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "server/acl/acl_file.h"
#include "server/admin/admin_families.h"
#include "server/assembly/client_extension.h"
#include "server/cluster/cluster_commands.h"
#include "server/commands/data_families.h"
#include "server/pubsub/pubsub_commands.h"
#include "server/scripting/function_commands.h"
#include "server/scripting/scripting_commands.h"

namespace mayfly::server {
namespace {

std::vector<CommandFamily> AllFamilies() {
  std::vector<CommandFamily> families = AdminFamilies();
  for (const CommandFamily& family : DataFamilies()) families.push_back(family);
  families.push_back(AclFamily());
  families.push_back(PubSubFamily());
  families.push_back(ScriptingFamily());
  families.push_back(FunctionFamily());
  families.push_back(LibraryFamily());
  families.push_back(ClusterFamily());
  families.push_back(ClusterSpeechFamily());
  return families;
}

}  // namespace

Assembly::Assembly(const Clock& clock, std::size_t lua_bytes_max)
    : table_(AllFamilies()),
      acl_(table_),
      authorizer_(acl_, clock),
      scripts_(clock,
               {.memory_bytes_max = lua_bytes_max,
                .reply = {.bytes_max = std::min(lua_bytes_max, ScriptReplyLimits().bytes_max)}}) {}

void Assembly::Follow(Config& config) {
  const auto written = [this](std::int64_t bytes) {
    scripts_.set_write_bytes_max(static_cast<std::size_t>(bytes));
  };
  written(config.Number(Setting::kScriptWriteMax));
  config.OnChange(Setting::kScriptWriteMax, [written](const SettingValue& value) {
    written(value.number);
    return Status();
  });
  const auto log_length = [this](std::int64_t entries) {
    acl_.log().set_entries_max(static_cast<std::size_t>(entries));
  };
  const auto channels = [this](const std::string& mode) {
    acl_.set_all_channels_at_first(mode == "allchannels");
  };
  log_length(config.Number(Setting::kAclLogMaxLen));
  channels(config.Text(Setting::kAclPubSubDefault));
  config.OnChange(Setting::kAclLogMaxLen, [log_length](const SettingValue& value) {
    log_length(value.number);
    return Status();
  });
  config.OnChange(Setting::kAclPubSubDefault, [channels](const SettingValue& value) {
    channels(value.text);
    return Status();
  });
}

Status Assembly::Rename(const Config& config) {
  for (const auto& [name, fresh] : config.renames()) {
    const Status renamed = table_.Rename(name, fresh);
    if (!renamed.ok()) {
      return Status::Invalid(
          fmt::format("{}, rename-command: {}", config.file(), renamed.message()));
    }
  }
  return {};
}

Status Assembly::LoadUsers(const Config& config) {
  const std::string file = config.Text(Setting::kAclFile);
  if (!file.empty() && !config.user_lines().empty()) {
    return Status::Invalid(
        fmt::format("users are defined in {} and in an aclfile; choose one", config.file()));
  }
  if (!file.empty()) {
    MAYFLY_RETURN_IF_ERROR(LoadAclFile(acl_, file));
  } else if (!config.user_lines().empty()) {
    const std::string text = fmt::format("{}", fmt::join(config.user_lines(), "\n"));
    MAYFLY_RETURN_IF_ERROR(LoadAclText(acl_, text, config.file() + ", users"));
  }
  // Without a default user among them, its password is that of requirepass.
  const std::string password = config.Text(Setting::kRequirePass);
  if (!password.empty() && authorizer_.open_to_all()) authorizer_.SetDefaultPassword(password);
  return {};
}

Publisher::Counts Assembly::counts() const {
  return {.channels = channels_.Names(ChannelKind::kChannel, std::nullopt).size(),
          .patterns = channels_.CountPatterns(),
          .shard_channels = channels_.Names(ChannelKind::kShard, std::nullopt).size()};
}

ScriptFigures Assembly::script_figures() const {
  const auto catalogue = scripts_.catalogue();
  const auto running = scripts_.running();
  return {.kept = scripts_.count(),
          .kept_bytes = scripts_.kept_bytes(),
          .lua_bytes = scripts_.memory_bytes(),
          .libraries = catalogue->libraries().size(),
          .functions = catalogue->function_count(),
          .function_runs = running && running->kind == ScriptEngine::Kind::kFunction};
}

std::unique_ptr<SessionExtension> Assembly::ForSession(Server& server, Session& session) {
  return std::make_unique<ClientExtension>(server, session, channels_, scripts_);
}

}  // namespace mayfly::server
