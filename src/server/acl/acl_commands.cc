#include "server/acl/acl_commands.h"

#include <fmt/format.h>

#include "server/acl/acl_password.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"
#include "server/command/shown_args.h"

namespace mayfly::server {
namespace {

constexpr std::int64_t kPasswordBitsMax = 4096;
constexpr int kPasswordBitsDefault = 256;
constexpr std::int64_t kLogEntriesDefault = 10;

Answer NotHere() { return Status::Unsupported("users are not offered here"); }

Answer WrongForm(const Call& call) {
  return Answer::Error(fmt::format(
      "ERR unknown subcommand or wrong number of arguments for '{}'. Try ACL HELP.", call.args[1]));
}

void WriteList(ReplyWriter& reply, std::span<const std::string> texts) {
  for (const std::string& text : texts) reply.Bulk(text);
}

Answer WriteCategories(Call& call) {
  call.reply.Array(CategoryNames().size());
  for (const std::string_view name : CategoryNames()) call.reply.Bulk(name);
  return {};
}

Answer Cat(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  if (call.args.size() > 3) return WrongForm(call);
  if (call.args.size() == 2) return WriteCategories(call);
  const CategoryBits category = CategoryNamed(call.args[2]);
  if (category == 0) {
    return Status::Invalid(fmt::format("Unknown category '{}'", call.args[2]));
  }
  std::vector<std::string> names;
  for (const auto& entry : context->session.acl().table().entries()) {
    if ((entry->categories & category) != 0) names.push_back(entry->full_name);
  }
  call.reply.Array(names.size());
  WriteList(call.reply, names);
  return {};
}

Answer SetUser(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  Status status = context->session.acl().SetUser(call.args[2], call.args.subspan(3));
  if (!status.ok()) return status;
  if (context->watcher != nullptr) context->watcher->UserChanged(call.args[2]);
  call.reply.Ok();
  return {};
}

Answer DelUser(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  for (const Bytes name : call.args.subspan(2)) {
    if (name == kDefaultUser) return Status::Invalid("The 'default' user cannot be removed");
  }
  std::int64_t deleted = 0;
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const bool was_there, context->session.acl().DeleteUser(name));
    deleted += was_there ? 1 : 0;
    if (was_there && context->watcher != nullptr) context->watcher->UserRemoved(name);
  }
  call.reply.Integer(deleted);
  return {};
}

void WriteSelector(ReplyWriter& reply, const AclSelector& selector) {
  reply.Bulk("commands");
  reply.Bulk(selector.DescribeCommands());
  reply.Bulk("keys");
  reply.Bulk(selector.DescribeKeys());
  reply.Bulk("channels");
  reply.Bulk(selector.DescribeChannels());
}

Answer GetUser(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  const AclUserPtr user = context->session.acl().Find(call.args[2]);
  if (user == nullptr) {
    call.reply.Null();
    return {};
  }
  call.reply.Map(6);
  call.reply.Bulk("flags");
  const std::vector<std::string> flags = user->flags();
  call.reply.Set(flags.size());
  WriteList(call.reply, flags);
  call.reply.Bulk("passwords");
  call.reply.Array(user->password_hashes().size());
  WriteList(call.reply, user->password_hashes());
  WriteSelector(call.reply, user->root());
  call.reply.Bulk("selectors");
  const std::span<const AclSelector> rest = user->selectors().subspan(1);
  call.reply.Array(rest.size());
  for (const AclSelector& selector : rest) {
    call.reply.Map(3);
    WriteSelector(call.reply, selector);
  }
  return {};
}

Answer List(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  const Acl::Users users = context->session.acl().users();
  call.reply.Array(users.size());
  for (const auto& [name, user] : users) call.reply.Bulk(user->Describe());
  return {};
}

Answer Users(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  const Acl::Users users = context->session.acl().users();
  call.reply.Array(users.size());
  for (const auto& [name, user] : users) call.reply.Bulk(name);
  return {};
}

Answer WhoAmI(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  const AclUser* const user = context->session.user();
  if (user == nullptr) {
    call.reply.Null();
  } else {
    call.reply.Bulk(user->name());
  }
  return {};
}

Answer GenPass(Call& call) {
  if (call.args.size() > 3) return WrongForm(call);
  std::int64_t bits = kPasswordBitsDefault;
  if (call.args.size() == 3) {
    MAYFLY_TRY(bits, IntegerArgument(call.args[2]));
    if (bits <= 0 || bits > kPasswordBitsMax) {
      return Status::Invalid(
          "ACL GENPASS argument must be the number of bits for the output password, a positive "
          "number up to 4096");
    }
  }
  call.reply.Bulk(NewPassword(static_cast<int>(bits)));
  return {};
}

void WriteLogEntry(ReplyWriter& reply, const AclLog::Entry& entry, SteadyTime now) {
  const auto age = std::chrono::duration_cast<Millis>(now - entry.last);
  reply.Map(7);
  reply.Bulk("count");
  reply.Integer(entry.count);
  reply.Bulk("reason");
  reply.Bulk(NameOf(entry.reason));
  reply.Bulk("context");
  reply.Bulk(NameOf(entry.where));
  reply.Bulk("object");
  reply.Bulk(entry.object);
  reply.Bulk("username");
  reply.Bulk(entry.username);
  reply.Bulk("age-seconds");
  reply.Double(static_cast<double>(age.count()) / 1000);
  reply.Bulk("client-info");
  reply.Bulk(entry.client_info);
}

Answer ShowLog(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  if (call.args.size() > 3) return WrongForm(call);
  AclLog& log = context->session.acl().log();
  std::int64_t count = kLogEntriesDefault;
  if (call.args.size() == 3 && IsWord(call.args[2], "reset")) {
    log.Clear();
    call.reply.Ok();
    return {};
  }
  if (call.args.size() == 3) {
    MAYFLY_TRY(count, IntegerArgument(call.args[2]));
  }
  const auto entries = log.Latest(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  const SteadyTime now = context->clock.Steady();
  call.reply.Array(entries.size());
  for (const AclLog::Entry& entry : entries) WriteLogEntry(call.reply, entry, now);
  return {};
}

Answer NoFile() {
  return Status::Invalid(
      "This Redis instance is not configured to use an ACL file. You may want to specify users via "
      "the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis "
      "configuration file set) in order to store users in the Redis configuration.");
}

Answer Load(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  if (context->file.empty()) return NoFile();
  Status status = LoadAclFile(context->session.acl(), context->file);
  if (!status.ok()) return status;
  if (context->watcher != nullptr) context->watcher->UsersReplaced();
  call.reply.Ok();
  return {};
}

Answer Save(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  if (context->file.empty()) return NoFile();
  if (!SaveAclFile(context->session.acl(), context->file).ok()) {
    return Status::IoError(
        "There was an error trying to save the ACLs. Please check the server logs for more "
        "information");
  }
  call.reply.Ok();
  return {};
}

// The command in args, or its subcommand; null if there is none.
const CommandEntry* FindCommand(const CommandTable& table, std::span<const Bytes> args) {
  const CommandEntry* const command = table.Find(args[0]);
  if (command == nullptr || command->subcommands.empty() || args.size() < 2) return command;
  return table.FindSubcommand(*command, args[1]);
}

Answer DryRun(Call& call) {
  AclContext* const context = call.host.acl();
  if (context == nullptr) return NotHere();
  const Acl& acl = context->session.acl();
  const AclUserPtr user = acl.Find(call.args[2]);
  if (user == nullptr) {
    return Status::Invalid(fmt::format("User '{}' not found", call.args[2]));
  }
  const std::span<const Bytes> args = call.args.subspan(3);
  const CommandEntry* const command = FindCommand(acl.table(), args);
  if (command == nullptr) {
    return Status::Invalid(fmt::format("Command '{}' not found", args[0]));
  }
  if (!FitsArity(*command->spec, args.size())) return WrongArity(command->full_name);
  if (const auto denial = CheckAcl(*user, acl.table(), *command->spec, args)) {
    call.reply.Bulk(DryRunText(*denial));
  } else {
    call.reply.Ok();
  }
  return {};
}

Answer Help(Call& call) {
  static constexpr std::string_view kLines[] = {
      "CAT [<category>]",
      "    The categories, or the commands of one.",
      "DELUSER <username> [<username> ...]",
      "    Remove users; their connections are closed.",
      "DRYRUN <username> <command> [<arg> ...]",
      "    Tell whether a user may run a command, without running it.",
      "GETUSER <username>",
      "    What a user may do.",
      "GENPASS [<bits>]",
      "    A secret of 256 bits, or of as many as given.",
      "LIST",
      "    All users, as lines of an ACL file.",
      "LOAD",
      "    Put the users of the ACL file in the place of those that are.",
      "LOG [<count> | RESET]",
      "    What was refused lately.",
      "SAVE",
      "    Write all users to the ACL file.",
      "SETUSER <username> <attribute> [<attribute> ...]",
      "    Make or change a user.",
      "USERS",
      "    The names of all users.",
      "WHOAMI",
      "    The name of this connection's user.",
  };
  WriteHelp(call.reply, "ACL", kLines);
  return {};
}

constexpr std::uint32_t kAdminFlags = kAdmin | kNoScript | kLoading | kStale | kNoRows;
constexpr std::uint32_t kOpenFlags = kNoScript | kLoading | kStale | kNoRows;

// clang-format off
constexpr CommandSpec kAclSubcommands[] = {
    {"cat",     -2, kOpenFlags,                  kNoKeys, Cat,
     {"List categories, or the commands of one.", "6.0.0", "O(1)", "[categoryname]"}},
    {"deluser", -3, kAdminFlags,                 kNoKeys, DelUser,
     {"Remove users.", "6.0.0", "O(n) in the users given, and in their connections", "username..."}},
    {"dryrun",  -4, kAdminFlags,                 kNoKeys, DryRun,
     {"Tell whether a user may run a command.", "7.0.0", "O(1)", "username command [arg]..."}, {},
     AllSubcommandArgsSecret},
    {"genpass", -2, kOpenFlags,                  kNoKeys, GenPass,
     {"Make a secret to be used as a password.", "6.0.0", "O(1)", "[bits:int]"}},
    {"getuser", 3,  kAdminFlags,                 kNoKeys, GetUser,
     {"Tell what a user may do.", "6.0.0", "O(n) in the rules of the user", "username"}},
    {"help",    2,  kLoading | kStale | kNoRows, kNoKeys, Help,
     {"List the subcommands.", "6.0.0", "O(1)"}},
    {"list",    2,  kAdminFlags,                 kNoKeys, List,
     {"List users as rules.", "6.0.0", "O(n) in the users"}},
    {"load",    2,  kAdminFlags,                 kNoKeys, Load,
     {"Read the users of the ACL file.", "6.0.0", "O(n) in the users"}},
    {"log",     -2, kAdminFlags,                 kNoKeys, ShowLog,
     {"Tell what was refused lately.", "6.0.0", "O(n) in the entries shown", "operation=[count:int | RESET]"}},
    {"save",    2,  kAdminFlags,                 kNoKeys, Save,
     {"Write the users to the ACL file.", "6.0.0", "O(n) in the users"}},
    {"setuser", -3, kAdminFlags,                 kNoKeys, SetUser,
     {"Make or change a user.", "6.0.0", "O(n) in the rules given", "username [rule]..."}, {}, AllSubcommandArgsSecret},
    {"users",   2,  kAdminFlags,                 kNoKeys, Users,
     {"List the names of users.", "6.0.0", "O(n) in the users"}},
    {"whoami",  2,  kOpenFlags,                  kNoKeys, WhoAmI,
     {"Tell this connection's user.", "6.0.0", "O(1)"}},
};

constexpr CommandSpec kAclCommands[] = {
    {"acl", -2, kNoRows, kNoKeys, nullptr,
     {"Users and what they may do.", "6.0.0", "O(1)"}, kAclSubcommands},
};
// clang-format on

}  // namespace

CommandFamily AclFamily() { return {"server", Category::kAdmin, kAclCommands}; }

std::optional<std::string> LogIn(AclContext& context, Bytes command, std::optional<Bytes> name,
                                 Bytes password) {
  Acl& acl = context.session.acl();
  if (!name && acl.Find(kDefaultUser)->no_password()) {
    return "ERR AUTH <password> called without any password configured for the default user. Are "
           "you sure your configuration is correct?";
  }
  const Bytes who = name.value_or(kDefaultUser);
  if (context.session.Authenticate(who, password)) return std::nullopt;
  acl.log().Add({AclReason::kAuth, std::string(command)}, AclWhere::kTopLevel, who,
                context.client_info, context.clock.Steady());
  return "WRONGPASS invalid username-password pair or user is disabled.";
}

bool MayRun(AclSession& session, const CommandSpec& spec, std::span<const Bytes> args) {
  const AclUser* const user = session.user();
  if (user == nullptr) return (spec.flags & kNoAuth) != 0;
  if (user->root().allows_everything()) return true;
  const CommandTable& table = session.acl().table();
  return !CheckAcl(*user, table, spec, args) && !CheckSortPatterns(*user, table, spec, args);
}

std::optional<std::string> RefuseCommand(AclContext& context, const CommandSpec& spec,
                                         std::span<const Bytes> args, AclWhere where) {
  const AclUser* const user = context.session.user();
  if (user == nullptr) {
    if ((spec.flags & kNoAuth) != 0) return std::nullopt;
    return std::string(kNoAuthLine);
  }
  Acl& acl = context.session.acl();
  const std::optional<AclDenial> denial = CheckAcl(*user, acl.table(), spec, args);
  if (!denial) {
    if (user->root().allows_everything()) return std::nullopt;
    return CheckSortPatterns(*user, acl.table(), spec, args);
  }
  acl.log().Add(*denial, where, user->name(), context.client_info, context.clock.Steady());
  if (where == AclWhere::kLua) return NoPermissionInScriptLine(*denial);
  return where == AclWhere::kExec ? NoPermissionAtExecLine(*denial) : NoPermissionLine(*denial);
}

}  // namespace mayfly::server
