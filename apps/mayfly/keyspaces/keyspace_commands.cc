#include "apps/mayfly/keyspaces/keyspace_commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "apps/mayfly/cli/question.h"
#include "apps/mayfly/target/policy_text.h"
#include "base/printable.h"

namespace mayfly::app {
namespace {

struct KeyspaceFlags {
  TargetFlags target;
  OutputFlags output;
  std::string name;
  std::vector<std::string> fields;  // "default-ttl=30d".
  bool yes = false;
};

Status SetFields(const std::vector<std::string>& fields, KeyspacePolicy& policy) {
  for (const std::string& field : fields) {
    const std::size_t equals = field.find('=');
    if (equals == std::string::npos) {
      return Status::Invalid(fmt::format("'{}' is no FIELD=VALUE, such as default-ttl=30d", field));
    }
    MAYFLY_RETURN_IF_ERROR(
        SetPolicyField(policy, field.substr(0, equals), field.substr(equals + 1)));
  }
  return {};
}

std::string CheckField(const std::string& field) {
  KeyspacePolicy policy;
  const Status set = SetFields({field}, policy);
  return std::string(set.message());
}

Result<ExitCode> RunList(const KeyspaceFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  MAYFLY_TRY(const Statistics statistics, target->Stats());
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    output.Row({{"keyspace", Cell::Text(one.name)},
                {"rows", Cell::Count(one.rows)},
                {"mortal_rows", Cell::Count(one.mortal_rows)},
                {"due_rows", Cell::Count(one.due_rows)},
                {"lag", Cell::Length(one.lag)},
                {"purge_within", Cell::Length(one.purge_within)},
                {"overdue", Cell::Length(one.promise_overdue)}});
  }
  output.End();
  return kExitDone;
}

Result<ExitCode> RunCreate(const KeyspaceFlags& flags) {
  KeyspacePolicy policy;
  MAYFLY_RETURN_IF_ERROR(SetFields(flags.fields, policy));
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  MAYFLY_RETURN_IF_ERROR(target->CreateKeyspace(flags.name, policy));
  target->Keep();
  return kExitDone;
}

Result<ExitCode> RunDrop(const KeyspaceFlags& flags) {
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  // Refused, before a question.
  if (IsUrl(flags.target.target) && flags.name != target->keyspace()) {
    MAYFLY_RETURN_IF_ERROR(target->DropKeyspace(flags.name));
  }
  MAYFLY_TRY(const Statistics statistics, target->Stats());
  std::uint64_t rows = 0;
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    if (one.name == flags.name) rows = one.rows;
  }
  MAYFLY_TRY(const bool agreed,
             Agreed(flags.yes, fmt::format("Remove keyspace '{}' of {} with {} rows?",
                                           Printable(flags.name), target->name(), rows)));
  if (!agreed) return kExitFailed;
  MAYFLY_RETURN_IF_ERROR(target->DropKeyspace(flags.name));
  return kExitDone;
}

Result<ExitCode> RunPolicy(const KeyspaceFlags& flags) {
  TargetFlags chosen = flags.target;
  chosen.keyspace = flags.name;
  const bool changes = !flags.fields.empty();
  MAYFLY_TRY(const auto target, OpenTarget(chosen, changes ? Access::kWrite : Access::kRead));
  MAYFLY_TRY(KeyspacePolicy policy, target->Policy());
  if (changes) {
    MAYFLY_RETURN_IF_ERROR(SetFields(flags.fields, policy));
    MAYFLY_RETURN_IF_ERROR(target->SetPolicy(policy));
    return kExitDone;
  }
  Output(flags.output).Record(PolicyFields(policy));
  return kExitDone;
}

}  // namespace

void AddKeyspaceCommands(Commands& commands) {
  CLI::App* const group = commands.Add(
      commands.app(), "keyspace", "List, make and drop keyspaces, and set their policies.", {});
  group->require_subcommand(0, 1);
  const auto one = [&](const char* name, const char* summary,
                       const std::vector<std::string>& examples,
                       Result<ExitCode> (*run)(const KeyspaceFlags&)) {
    const auto flags = std::make_shared<KeyspaceFlags>();
    CLI::App* const command =
        commands.Add(*group, name, summary, examples, [=] { return run(*flags); });
    AddTarget(*command, flags->target);
    return std::pair(command, flags);
  };
  constexpr const char* kFields =
      "FIELD=VALUE: default-ttl, min-ttl, max-ttl and purge-within (30d, or none), require (yes, "
      "no), breach (refuse, clamp), jitter (thousandths), events (off, key, value). In a folder "
      "also order (arrival, or timestamp, when it is made) and, by timestamp, history (1h) and "
      "late-max (5m, or none).";
  const auto [list, list_flags] =
      one("list", "List keyspaces with their rows, those due, and their promises.",
          {"mayfly keyspace list data", "mayfly keyspace list --url redis://localhost"}, RunList);
  AddOutput(*list, list_flags->output);
  const auto [create, create_flags] =
      one("create", "Make a keyspace; in a folder only.",
          {"mayfly keyspace create data sessions default-ttl=30m events=key",
           "mayfly keyspace create data readings order=timestamp history=1h late-max=5m"},
          RunCreate);
  create->add_option("NAME", create_flags->name, "Its name.")->required();
  create->add_option("FIELD", create_flags->fields, kFields)->check(CheckField);
  AddCreate(*create, create_flags->target);
  const auto [drop, drop_flags] =
      one("drop", "Remove a keyspace with all its rows; of a server, empty a database.",
          {"mayfly keyspace drop data sessions --yes"}, RunDrop);
  drop->add_option("NAME", drop_flags->name, "Its name.")->required();
  drop->add_flag("-y,--yes", drop_flags->yes, "Do not ask.");
  const auto [policy, policy_flags] =
      one("policy", "Show a keyspace's policy, or change fields of it.",
          {"mayfly keyspace policy data sessions",
           "mayfly keyspace policy --url redis://localhost db0 default-ttl=1d jitter=100"},
          RunPolicy);
  policy->add_option("NAME", policy_flags->name, "Its name.")->required();
  policy->add_option("FIELD", policy_flags->fields, kFields)->check(CheckField);
  AddOutput(*policy, policy_flags->output);
}

}  // namespace mayfly::app
