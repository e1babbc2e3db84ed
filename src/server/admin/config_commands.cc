// config_commands.cc - CONFIG and its subcommands.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "server/admin/admin_handlers.h"
#include "server/command/errors.h"
#include "server/command/limits.h"
#include "server/command/manual/help.h"
#include "server/config/config_file.h"

namespace mayfly::server::admin {

Answer ConfigGet(Call& call) {
  std::vector<std::string> patterns;
  for (const Bytes pattern : call.args.subspan(2)) patterns.emplace_back(pattern);
  const auto found = ServerOf(call).config().Match(patterns);
  call.reply.Map(found.size());
  for (const auto& [name, text] : found) {
    call.reply.Bulk(name);
    call.reply.Bulk(text);
  }
  return {};
}

// The value of an unknown setting may belong to a mistyped secret one.
void ConfigSetSecrets(std::span<const Bytes> args, std::vector<std::size_t>& positions) {
  for (std::size_t i = 2; i + 1 < args.size(); i += 2) {
    const SettingSpec* const spec = FindSetting(args[i]);
    if (spec == nullptr || spec->secret) positions.push_back(i + 1);
  }
}

namespace {

// What is stored is counted when a limit is first set: the next command finds it counted, unless
// that takes long. The holder of a transaction must not wait.
void AwaitCount(Call& call, const std::vector<std::pair<std::string, std::string>>& wanted) {
  const bool limits = std::any_of(wanted.begin(), wanted.end(), [](const auto& one) {
    return FindSetting(one.first) == &SpecOf(Setting::kMaxMemory);
  });
  if (!limits || call.frozen_now) return;
  ServerOf(call).data_limit().AwaitCount(kCountPatience);
}

}  // namespace

Answer ConfigSet(Call& call) {
  if (call.args.size() % 2 != 0) return WrongArity("config|set");
  std::vector<std::pair<std::string, std::string>> wanted;
  for (std::size_t i = 2; i < call.args.size(); i += 2) {
    wanted.emplace_back(call.args[i], call.args[i + 1]);
  }
  Answer answer = ServerOf(call).config().Set(wanted, call.frozen_now.has_value());
  if (!answer.ok()) return answer;
  AwaitCount(call, wanted);
  for (const auto& setting : ServerOf(call).config().WithoutEffect()) {
    const std::string& name = setting.first;
    const bool is_asked = std::any_of(wanted.begin(), wanted.end(), [&](const auto& one) {
      return FindSetting(one.first) == FindSetting(name);
    });
    if (!is_asked) continue;
    Log(ServerOf(call).logger(), LogLevel::kWarning, "setting '{}' has no effect here: {}", name,
        setting.second);
  }
  call.reply.Ok();
  return answer;
}

Answer ConfigResetStat(Call& call) {
  Server& server = ServerOf(call);
  server.statistics().Reset();
  server.throughput().Restart(server.Steady(), server.statistics().totals());
  server.clients().ResetCounters();
  server.latency_events().Reset({}, server.Steady());
  server.data_limit().evicted = 0;
  server.data_limit().late_nanos = 0;
  call.reply.Ok();
  return {};
}

Answer ConfigRewrite(Call& call) {
  Server& server = ServerOf(call);
  if (server.config().file().empty()) {
    return Status::Invalid("The server is running without a config file");
  }
  // Users of an ACL file stay there.
  const bool has_acl_file = !server.config().Text(Setting::kAclFile).empty();
  const Status written = RewriteConfigFile(
      server.config(), has_acl_file ? std::vector<std::string>() : server.authorizer().UserLines());
  if (!written.ok()) {
    return Answer::Error(fmt::format("ERR Rewriting config file: {}", written.message()));
  }
  Log(server.logger(), LogLevel::kInfo, "settings written to {}", server.config().file());
  call.reply.Ok();
  return {};
}

Answer ConfigHelp(Call& call) {
  static constexpr std::array kLines = std::to_array<std::string_view>({
      "GET <pattern>",
      "    Return parameters matching the glob-like <pattern> and their values.",
      "SET <directive> <value>",
      "    Set the configuration <directive> to <value>.",
      "RESETSTAT",
      "    Reset statistics reported by the INFO command.",
      "REWRITE",
      "    Rewrite the configuration file.",
  });
  WriteHelp(call.reply, "CONFIG", kLines);
  return {};
}

}  // namespace mayfly::server::admin
