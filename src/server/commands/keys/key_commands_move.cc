// key_commands_move.cc - renames rows, in this database or into another. Deadlines and members move
// along.
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/keys/key_commands.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

Status SameObject() { return Status::Invalid("source and destination objects are the same"); }

Result<int> DatabaseArgument(const CallHost& host, Bytes argument) {
  MAYFLY_TRY(const std::int64_t number, IntegerArgument(argument));
  if (number < INT32_MIN || number > INT32_MAX) {
    return Status::Invalid("value is out of range, value must between -2147483648 and 2147483647");
  }
  if (host.on_cluster() && number != 0) {
    return Status::Invalid("Copying to another database is not allowed in cluster mode");
  }
  if (number < 0 || number >= host.databases()) {
    return Status::Invalid("DB index is out of range");
  }
  return static_cast<int>(number);
}

Result<bool> IsThere(core::TransactionKeyspace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
  return row.exists;
}

// True when the row was renamed.
Result<bool> RenameRow(const Call& call, bool if_absent) {
  const Bytes from = call.args[1];
  const Bytes to = call.args[2];
  core::TransactionKeyspace& space = call.space();
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(from, row));
  if (!row.exists) return NoSuchKey();
  if (from == to) return !if_absent;
  if (if_absent) {
    MAYFLY_TRY(const bool taken, IsThere(space, to));
    if (taken) return false;
  }
  CarryPieced(call.host.pieced_strings(), {call.database, from}, {call.database, to}, row.value);
  MAYFLY_RETURN_IF_ERROR(space.Move(from, space, to));
  call.Notify(NotifyClass::kNew, "new", to);
  call.Notify(NotifyClass::kGeneric, "rename_from", from);
  call.Notify(NotifyClass::kGeneric, "rename_to", to);
  return true;
}

struct CopyOptions {
  int database;
  bool replace = false;
};

Result<CopyOptions> ParseCopyOptions(const Call& call) {
  CopyOptions options{.database = call.database};
  for (std::size_t i = 3; i < call.args.size(); ++i) {
    if (IsWord(call.args[i], "replace")) {
      options.replace = true;
    } else if (IsWord(call.args[i], "db") && i + 1 < call.args.size()) {
      MAYFLY_TRY(options.database, DatabaseArgument(call.host, call.args[++i]));
    } else {
      return SyntaxError();
    }
  }
  return options;
}

}  // namespace

Answer Rename(Call& call) {
  MAYFLY_RETURN_IF_ERROR(RenameRow(call, /*if_absent=*/false).status());
  call.reply.Ok();
  return {};
}

Answer RenameNx(Call& call) {
  MAYFLY_TRY(const bool renamed, RenameRow(call, /*if_absent=*/true));
  call.reply.Integer(renamed ? 1 : 0);
  return {};
}

Answer Copy(Call& call) {
  const Bytes from = call.args[1];
  const Bytes to = call.args[2];
  MAYFLY_TRY(const CopyOptions options, ParseCopyOptions(call));
  if (options.database == call.database && from == to) return SameObject();
  core::TransactionKeyspace& target = call.host.Space(*call.transaction, options.database);
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(from, row));
  MAYFLY_TRY(const bool taken, IsThere(target, to));
  if (!row.exists || (taken && !options.replace)) {
    call.reply.Integer(0);
    return {};
  }
  CarryPieced(call.host.pieced_strings(), {call.database, from}, {options.database, to}, row.value);
  MAYFLY_RETURN_IF_ERROR(call.space().Copy(from, target, to));
  call.host.Notify(NotifyClass::kNew, "new", options.database, to);
  call.host.Notify(NotifyClass::kGeneric, "copy_to", options.database, to);
  call.reply.Integer(1);
  return {};
}

Answer Move(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const int database, DatabaseArgument(call.host, call.args[2]));
  if (database == call.database) return SameObject();
  core::TransactionKeyspace& target = call.host.Space(*call.transaction, database);
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  MAYFLY_TRY(const bool taken, IsThere(target, key));
  if (!row.exists || taken) {
    call.reply.Integer(0);
    return {};
  }
  CarryPieced(call.host.pieced_strings(), {call.database, key}, {database, key}, row.value);
  MAYFLY_RETURN_IF_ERROR(call.space().Move(key, target, key));
  call.host.Notify(NotifyClass::kNew, "new", database, key);
  call.Notify(NotifyClass::kGeneric, "move_from", key);
  call.host.Notify(NotifyClass::kGeneric, "move_to", database, key);
  call.reply.Integer(1);
  return {};
}

}  // namespace mayfly::server
