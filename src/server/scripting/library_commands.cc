// library_commands.cc - the subcommands of FUNCTION.
// Those that change libraries have the whole database to themselves, as a script that runs alone
// has: they are rare, and the text of a library runs within them.
#include <fmt/format.h>

#include "base/glob.h"
#include "server/command/arguments.h"
#include "server/command/manual/help.h"
#include "server/functions/library_payload.h"
#include "server/functions/library_text.h"
#include "server/scripting/function_commands.h"
#include "server/scripting/function_requests.h"
#include "server/scripting/run_script.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kEngine = "LUA";

Status UnknownForm(std::string_view subcommand) {
  return Status::Invalid(fmt::format(
      "unknown subcommand or wrong number of arguments for '{}'. Try FUNCTION HELP.", subcommand));
}

// Begins a change of the libraries.
Result<Catalogue> CopyOfCatalogue(Call& call, ScriptContext& context) {
  MAYFLY_TRY(const auto catalogue, FindCatalogue(call, context, /*walks=*/true));
  return *catalogue;
}

Answer LoadLibraryCommand(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  const std::span<const Bytes> options = call.args.subspan(2);
  bool replace = false;
  for (const Bytes option : options.first(options.size() - 1)) {
    if (!IsWord(option, "replace")) {
      return Status::Invalid(fmt::format("Unknown option given: {}", option));
    }
    replace = true;
  }
  MAYFLY_TRY(Catalogue catalogue, CopyOfCatalogue(call, *context));
  MAYFLY_TRY(const LibraryText parsed, ParseLibraryText(options.back()));
  if (!replace && catalogue.Has(parsed.name)) {
    return Status::Invalid(fmt::format("Library '{}' already exists", parsed.name));
  }
  MAYFLY_TRY(auto library, context->engine().LoadLibrary(options.back()));
  catalogue.Remove(library->name);
  MAYFLY_RETURN_IF_ERROR(catalogue.Add(library));
  MAYFLY_RETURN_IF_ERROR(StoreCatalogue(call, std::move(catalogue)));
  call.reply.Bulk(library->name);
  return {};
}

Answer DeleteLibrary(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  MAYFLY_TRY(Catalogue catalogue, CopyOfCatalogue(call, *context));
  if (!catalogue.Has(call.args[2])) return Status::Invalid("Library not found");
  catalogue.Remove(call.args[2]);
  MAYFLY_RETURN_IF_ERROR(StoreCatalogue(call, std::move(catalogue)));
  call.reply.Ok();
  return {};
}

// SYNC and ASYNC mean the same.
Answer FlushLibraries(Call& call) {
  if (call.args.size() > 3) return UnknownForm(call.args[1]);
  const bool known =
      call.args.size() == 2 || IsWord(call.args[2], "sync") || IsWord(call.args[2], "async");
  if (!known) return Status::Invalid("FUNCTION FLUSH only supports SYNC|ASYNC option");
  MAYFLY_RETURN_IF_ERROR(StoreCatalogue(call, Catalogue()));
  call.reply.Ok();
  return {};
}

Answer DumpLibraries(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  MAYFLY_TRY(const auto catalogue, FindCatalogue(call, *context, /*walks=*/true));
  call.reply.Bulk(EncodeLibraries(catalogue->texts()));
  return {};
}

// Puts the libraries of a payload beside those of the catalogue, or in their place.
Status AddRestored(const Catalogue& restored, bool replace, Catalogue& catalogue) {
  for (const auto& [name, library] : restored.libraries()) {
    if (!catalogue.Has(name)) continue;
    if (!replace) return Status::Invalid(fmt::format("Library {} already exists", name));
    catalogue.Remove(name);
  }
  for (const auto& [name, library] : restored.libraries()) {
    MAYFLY_RETURN_IF_ERROR(catalogue.Add(library));
  }
  return {};
}

Answer RestoreLibraries(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  if (call.args.size() > 4) return UnknownForm(call.args[1]);
  const Bytes policy = call.args.size() == 4 ? call.args[3] : "append";
  const bool flush = IsWord(policy, "flush");
  const bool replace = IsWord(policy, "replace");
  if (!flush && !replace && !IsWord(policy, "append")) {
    return Status::Invalid(
        "Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
  }
  MAYFLY_TRY(const std::vector<std::string> texts, DecodeLibraries(call.args[2]));
  Catalogue restored;
  for (const std::string& text : texts) {
    MAYFLY_TRY(auto library, context->engine().LoadLibrary(text));
    MAYFLY_RETURN_IF_ERROR(restored.Add(std::move(library)));
  }
  Catalogue catalogue;
  if (!flush) {
    MAYFLY_TRY(catalogue, CopyOfCatalogue(call, *context));
  }
  MAYFLY_RETURN_IF_ERROR(AddRestored(restored, replace, catalogue));
  MAYFLY_RETURN_IF_ERROR(StoreCatalogue(call, std::move(catalogue)));
  call.reply.Ok();
  return {};
}

struct ListOptions {
  bool with_code = false;
  std::optional<Bytes> pattern;
};

Status ParseListOptions(std::span<const Bytes> args, ListOptions& options) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!options.with_code && IsWord(args[i], "withcode")) {
      options.with_code = true;
    } else if (!options.pattern && IsWord(args[i], "libraryname")) {
      if (++i == args.size()) return Status::Invalid("library name argument was not given");
      options.pattern = args[i];
    } else {
      return Status::Invalid(fmt::format("Unknown argument {}", args[i]));
    }
  }
  return {};
}

void WriteFunction(ReplyWriter& reply, const FunctionInfo& function) {
  reply.Map(3);
  reply.Bulk("name");
  reply.Bulk(function.name);
  reply.Bulk("description");
  if (function.description) {
    reply.Bulk(*function.description);
  } else {
    reply.Null();
  }
  reply.Bulk("flags");
  const std::vector<std::string_view> flags = NamesOfFlags(function.flags);
  reply.Set(flags.size());
  for (const std::string_view flag : flags) reply.SimpleString(flag);
}

Answer ListLibraries(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  ListOptions options;
  MAYFLY_RETURN_IF_ERROR(ParseListOptions(call.args.subspan(2), options));
  MAYFLY_TRY(const auto catalogue, FindCatalogue(call, *context, /*walks=*/true));
  std::vector<const Library*> listed;
  for (const auto& [name, library] : catalogue->libraries()) {
    if (options.pattern && !GlobMatches(*options.pattern, name, GlobCase::kInsensitive)) continue;
    listed.push_back(library.get());
  }
  ReplyWriter& reply = call.reply;
  reply.Array(listed.size());
  for (const Library* const library : listed) {
    reply.Map(options.with_code ? 4 : 3);
    reply.Bulk("library_name");
    reply.Bulk(library->name);
    reply.Bulk("engine");
    reply.Bulk(kEngine);
    reply.Bulk("functions");
    reply.Array(library->functions.size());
    for (const FunctionInfo& function : library->functions) WriteFunction(reply, function);
    if (!options.with_code) continue;
    reply.Bulk("library_code");
    reply.Bulk(library->text);
  }
  return {};
}

void WriteRunning(ReplyWriter& reply, const ScriptEngine::Running& running) {
  reply.Map(3);
  reply.Bulk("name");
  reply.Bulk(running.name);
  reply.Bulk("command");
  reply.Array(running.command.size());
  for (const std::string& argument : running.command) reply.Bulk(argument);
  reply.Bulk("duration_ms");
  reply.Integer(running.for_so_long.count());
}

Answer LibraryStats(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  const auto running = context->engine().running();
  if (running && running->kind == ScriptEngine::Kind::kScript) {
    return Answer::Error(
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.");
  }
  Keyspace* const own = call.host.own_keyspace();
  std::shared_ptr<const Catalogue> catalogue = context->engine().catalogue();
  // Within a transaction its thread must not ask the database: the cache has to do.
  if (own != nullptr && !call.frozen_now) {
    MAYFLY_TRY(catalogue, ReadCatalogue(*call.host.database_handle(), *own, *context));
  }
  ReplyWriter& reply = call.reply;
  reply.Map(2);
  reply.Bulk("running_script");
  if (running) {
    WriteRunning(reply, *running);
  } else {
    reply.Null();
  }
  reply.Bulk("engines");
  reply.Map(1);
  reply.Bulk(kEngine);
  reply.Map(2);
  reply.Bulk("libraries_count");
  reply.Integer(static_cast<std::int64_t>(catalogue->libraries().size()));
  reply.Bulk("functions_count");
  reply.Integer(static_cast<std::int64_t>(catalogue->function_count()));
  return {};
}

Answer KillFunction(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  return AnswerOfKill(call, *context, ScriptEngine::Kind::kFunction);
}

Answer LibraryHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "DELETE <library-name>",
      "    Remove a library and its functions.",
      "DUMP",
      "    Return all libraries as one payload, for FUNCTION RESTORE.",
      "FLUSH [ASYNC|SYNC]",
      "    Remove all libraries. Both modes do the same.",
      "KILL",
      "    Stop the function that runs, unless it has written.",
      "LIST [LIBRARYNAME <pattern>] [WITHCODE]",
      "    Describe the libraries and their functions.",
      "LOAD [REPLACE] <code>",
      "    Keep a library, which names itself in its first line.",
      "RESTORE <payload> [FLUSH|APPEND|REPLACE]",
      "    Keep the libraries of a payload: in place of all, beside those that exist, or",
      "    also in place of those with the same names.",
      "STATS",
      "    Tell which function runs, and count libraries and functions.",
  };
  WriteHelp(call.reply, "FUNCTION", kLines);
  return {};
}

constexpr std::uint32_t kChanges = kNoScript | kWrite | kEverything;

// clang-format off
constexpr CommandSpec kLibraryCommands[] = {
    {"delete",  3,  kChanges,                         kNoKeys, DeleteLibrary,
     {"Remove a library.", "7.0.0", "O(1)", "library-name"}},
    {"dump",    2,  kNoScript | kWalks,               kNoKeys, DumpLibraries,
     {"Return all libraries as a payload.", "7.0.0", "O(n) in the bytes of the libraries"}},
    {"flush",   -2, kChanges,                         kNoKeys, FlushLibraries,
     {"Remove all libraries.", "7.0.0", "O(n) in the libraries", "async=[ASYNC | SYNC]"}},
    {"help",    2,  kLoading | kStale | kNoRows,      kNoKeys, LibraryHelp,
     {"List the subcommands.", "7.0.0", "O(1)"}},
    {"kill",    2,  kNoScript | kAllowBusy | kNoRows, kNoKeys, KillFunction,
     {"Stop the function that runs.", "7.0.0", "O(1)"}},
    {"list",    -2, kNoScript | kWalks,               kNoKeys, ListLibraries,
     {"Describe the libraries.", "7.0.0", "O(n) in the functions",
      "[LIBRARYNAME library-name-pattern] [WITHCODE]"}},
    {"load",    -3, kChanges | kDenyOom,              kNoKeys, LoadLibraryCommand,
     {"Keep a library.", "7.0.0", "O(1), besides running its code", "[REPLACE] function-code"}},
    {"restore", -3, kChanges | kDenyOom,              kNoKeys, RestoreLibraries,
     {"Keep the libraries of a payload.", "7.0.0", "O(n) in the libraries of the payload",
      "serialized-value policy=[FLUSH | APPEND | REPLACE]"}},
    {"stats",   2,  kNoScript | kAllowBusy | kNoRows, kNoKeys, LibraryStats,
     {"Count libraries and functions.", "7.0.0", "O(1)"}},
};

constexpr CommandSpec kFunctionContainer[] = {
    {"function", -2, kNoRows, kNoKeys, nullptr, {"Keep libraries of functions.", "7.0.0", "O(1)"}, kLibraryCommands},
};
// clang-format on

}  // namespace

CommandFamily LibraryFamily() { return {"scripting", Category::kScripting, kFunctionContainer}; }

}  // namespace mayfly::server
