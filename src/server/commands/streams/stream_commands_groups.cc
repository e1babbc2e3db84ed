// stream_commands_groups.cc - XGROUP and XACK.
#include <fmt/format.h>

#include <optional>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"
#include "server/commands/streams/stream_arguments.h"
#include "server/commands/streams/stream_commands.h"

namespace mayfly::server {
namespace {

using types::Stream;
using types::StreamGroup;
using types::StreamId;

Status WrongSubcommand(const Call& call) {
  return Status::Invalid(fmt::format(
      "unknown subcommand or wrong number of arguments for '{}'. Try XGROUP HELP.", call.args[1]));
}

Status KeyMustExist() {
  return Status::Invalid(
      "The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use "
      "the MKSTREAM option to create an empty stream automatically.");
}

struct GroupOptions {
  bool make_stream = false;
  std::optional<std::uint64_t> read;
};

// What stands behind the id of CREATE and SETID.
Result<GroupOptions> ParseGroupOptions(const Call& call, bool creates) {
  GroupOptions options;
  for (std::size_t i = 5; i < call.args.size(); ++i) {
    if (creates && IsWord(call.args[i], "mkstream")) {
      options.make_stream = true;
    } else if (IsWord(call.args[i], "entriesread") && i + 1 < call.args.size()) {
      MAYFLY_TRY(const std::int64_t read, IntegerArgument(call.args[++i]));
      if (read < -1) return Status::Invalid("value for ENTRIESREAD must be positive or -1");
      options.read = read < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(read));
    } else {
      return WrongSubcommand(call);
    }
  }
  return options;
}

// A group that must exist, of a stream that must.
struct Found {
  Stream stream;
  std::optional<StreamGroup> group;
};
Answer FindGroup(Call& call, Found& found) {
  MAYFLY_TRY(found.stream, StreamAt(call, call.args[2]));
  if (!found.stream.exists()) return KeyMustExist();
  MAYFLY_TRY(found.group, StreamGroup::Find(found.stream, call.args[3]));
  return found.group ? Answer() : NoGroupOfKey(call.args[2], call.args[3]);
}

Status SaveBoth(Found& found) {
  MAYFLY_RETURN_IF_ERROR(found.group->Save());
  return found.stream.Save();
}

}  // namespace

Answer XGroupCreate(Call& call) {
  MAYFLY_TRY(const GroupOptions options, ParseGroupOptions(call, true));
  const Bytes key = call.args[2];
  MAYFLY_TRY(Stream stream, StreamAt(call, key));
  if (!stream.exists() && !options.make_stream) return KeyMustExist();
  if (call.args.size() > 8) return WrongSubcommand(call);
  StreamId last = stream.head().last;
  if (call.args[4] != "$") {
    MAYFLY_TRY(last, StreamIdArgument(call.args[4]));
  }
  if (!stream.exists()) {
    MAYFLY_RETURN_IF_ERROR(stream.Make());
    call.Notify(NotifyClass::kNew, "new", key);
  }
  MAYFLY_TRY(const bool made, StreamGroup::Make(stream, call.args[3], last, options.read));
  if (!made) return Answer::Error("BUSYGROUP Consumer Group name already exists");
  MAYFLY_RETURN_IF_ERROR(stream.Save());
  NotifyStream(call, key, "xgroup-create");
  call.reply.Ok();
  return {};
}

Answer XGroupSetId(Call& call) {
  MAYFLY_TRY(const GroupOptions options, ParseGroupOptions(call, false));
  Found found{.stream = Stream(call.space(), call.args[2], call.now()), .group = {}};
  if (Answer failed = FindGroup(call, found); !failed.ok()) return failed;
  if (call.args.size() != 5 && call.args.size() != 7) return WrongSubcommand(call);
  StreamId last = found.stream.head().last;
  if (call.args[4] != "$") {
    MAYFLY_TRY(last, OpenStreamIdArgument(call.args[4]));
  }
  found.group->SetLast(last, options.read);
  MAYFLY_RETURN_IF_ERROR(SaveBoth(found));
  NotifyStream(call, call.args[2], "xgroup-setid");
  call.reply.Ok();
  return {};
}

Answer XGroupDestroy(Call& call) {
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[2]));
  if (!stream.exists()) return KeyMustExist();
  MAYFLY_TRY(auto group, StreamGroup::Find(stream, call.args[3]));
  if (group) {
    MAYFLY_RETURN_IF_ERROR(group->Destroy());
    MAYFLY_RETURN_IF_ERROR(stream.Save());
    NotifyStream(call, call.args[2], "xgroup-destroy");
  }
  call.reply.Integer(group ? 1 : 0);
  return {};
}

Answer XGroupCreateConsumer(Call& call) {
  Found found{.stream = Stream(call.space(), call.args[2], call.now()), .group = {}};
  if (Answer failed = FindGroup(call, found); !failed.ok()) return failed;
  MAYFLY_TRY(const types::Consumer* const consumer, found.group->FindConsumer(call.args[4]));
  if (consumer == nullptr) {
    MAYFLY_RETURN_IF_ERROR(found.group->MakeConsumer(call.args[4], NowMs(call)).status());
    MAYFLY_RETURN_IF_ERROR(SaveBoth(found));
    NotifyStream(call, call.args[2], "xgroup-createconsumer");
  }
  call.reply.Integer(consumer == nullptr ? 1 : 0);
  return {};
}

Answer XGroupDelConsumer(Call& call) {
  Found found{.stream = Stream(call.space(), call.args[2], call.now()), .group = {}};
  if (Answer failed = FindGroup(call, found); !failed.ok()) return failed;
  MAYFLY_TRY(types::Consumer* const consumer, found.group->FindConsumer(call.args[4]));
  std::uint64_t pending = 0;
  if (consumer != nullptr) {
    MAYFLY_TRY(pending, found.group->RemoveConsumer(*consumer));
    MAYFLY_RETURN_IF_ERROR(SaveBoth(found));
    NotifyStream(call, call.args[2], "xgroup-delconsumer");
  }
  call.reply.Integer(static_cast<std::int64_t>(pending));
  return {};
}

Answer XGroupHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "CREATE <key> <groupname> <id|$> [option]",
      "    Make a group of consumers. Options are:",
      "    * MKSTREAM",
      "      Make an empty stream if there is none.",
      "    * ENTRIESREAD entries_read",
      "      Set how many entries the group has read.",
      "CREATECONSUMER <key> <groupname> <consumer>",
      "    Make a consumer in the group.",
      "DELCONSUMER <key> <groupname> <consumer>",
      "    Remove the consumer.",
      "DESTROY <key> <groupname>",
      "    Remove the group.",
      "SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
      "    Set the last entry the group was given, and how many it has read.",
  };
  WriteHelp(call.reply, "XGROUP", kLines);
  return {};
}

Answer XAck(Call& call) {
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  MAYFLY_TRY(auto group, StreamGroup::Find(stream, call.args[2]));
  std::int64_t count = 0;
  if (group) {
    MAYFLY_TRY(const auto ids, StreamIdArguments(call.args.subspan(3)));
    for (const StreamId id : ids) {
      MAYFLY_TRY(const auto pending, group->FindPending(id));
      if (!pending) continue;
      MAYFLY_RETURN_IF_ERROR(group->RemovePending(id, *pending));
      ++count;
    }
    if (count > 0) MAYFLY_RETURN_IF_ERROR(SaveGroup(stream, *group));
  }
  call.reply.Integer(count);
  return {};
}

}  // namespace mayfly::server
