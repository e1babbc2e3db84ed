// command_docs_command.cc - COMMAND DOCS: the manual of commands, as clients read it.
// redis-cli's hints and help come from it, and other clients' completion.
#include <string_view>
#include <utility>
#include <vector>

#include "server/admin/admin_handlers.h"
#include "server/command/manual/command_manual.h"

namespace mayfly::server::admin {
namespace {

std::string_view TypeOf(SyntaxArgument::Kind kind) {
  switch (kind) {
    case SyntaxArgument::Kind::kString: break;
    case SyntaxArgument::Kind::kInteger: return "integer";
    case SyntaxArgument::Kind::kDouble: return "double";
    case SyntaxArgument::Kind::kTime: return "unix-time";
    case SyntaxArgument::Kind::kPattern: return "pattern";
    case SyntaxArgument::Kind::kKey: return "key";
    case SyntaxArgument::Kind::kWord: return "pure-token";
    case SyntaxArgument::Kind::kOneOf: return "oneof";
    case SyntaxArgument::Kind::kBlock: return "block";
  }
  return "string";
}

void WriteField(ReplyWriter& reply, std::string_view name, std::string_view value) {
  reply.Bulk(name);
  reply.Bulk(value);
}

void WriteArguments(ReplyWriter& reply, const std::vector<SyntaxArgument>& arguments);

void WriteFlags(ReplyWriter& reply, const SyntaxArgument& argument) {
  std::vector<std::string_view> flags;
  if (argument.optional) flags.emplace_back("optional");
  if (argument.repeated) flags.emplace_back("multiple");
  if (argument.repeats_token) flags.emplace_back("multiple_token");
  if (flags.empty()) return;
  reply.Bulk("flags");
  reply.Set(flags.size());
  for (const std::string_view flag : flags) reply.SimpleString(flag);
}

void WriteArgument(ReplyWriter& reply, const SyntaxArgument& argument) {
  const bool is_key = argument.kind == SyntaxArgument::Kind::kKey || argument.key_spec > 0;
  const bool has_flags = argument.optional || argument.repeated;
  const std::size_t fields =
      2 + (is_key ? std::size_t{1} : 0) + (argument.token.empty() ? std::size_t{0} : 1) +
      (has_flags ? std::size_t{1} : 0) + (argument.parts.empty() ? std::size_t{0} : 1);
  reply.Map(fields);
  WriteField(reply, "name", argument.name);
  WriteField(reply, "type", TypeOf(argument.kind));
  if (is_key) {
    reply.Bulk("key_spec_index");
    reply.Integer(argument.key_spec);
  }
  if (!argument.token.empty()) WriteField(reply, "token", argument.token);
  WriteFlags(reply, argument);
  if (!argument.parts.empty()) WriteArguments(reply, argument.parts);
}

void WriteArguments(ReplyWriter& reply, const std::vector<SyntaxArgument>& arguments) {
  reply.Bulk("arguments");
  reply.Array(arguments.size());
  for (const SyntaxArgument& one : arguments) WriteArgument(reply, one);
}

void WriteDocs(ReplyWriter& reply, const CommandEntry& entry) {
  const CommandManual& manual = entry.spec->manual;
  const auto arguments = ParseSyntax(manual.syntax).value_or(std::vector<SyntaxArgument>());
  reply.Bulk(entry.full_name);
  reply.Map(4 + (arguments.empty() ? std::size_t{0} : 1) +
            (entry.subcommands.empty() ? std::size_t{0} : 1));
  WriteField(reply, "summary", manual.summary);
  WriteField(reply, "since", manual.since);
  WriteField(reply, "group", entry.group);
  WriteField(reply, "complexity", manual.complexity);
  if (!arguments.empty()) WriteArguments(reply, arguments);
  if (entry.subcommands.empty()) return;
  reply.Bulk("subcommands");
  reply.Map(entry.subcommands.size());
  for (const CommandEntry* sub : entry.subcommands) WriteDocs(reply, *sub);
}

}  // namespace

Answer CommandDocs(Call& call) {
  std::vector<const CommandEntry*> wanted;
  if (call.args.size() == 2) wanted = ServerOf(call).table().commands();
  for (const Bytes name : call.args.subspan(2)) {
    if (const CommandEntry* entry = ServerOf(call).table().FindFullName(name)) {
      wanted.push_back(entry);
    }
  }
  call.reply.Map(wanted.size());
  for (const CommandEntry* entry : wanted) WriteDocs(call.reply, *entry);
  return {};
}

}  // namespace mayfly::server::admin
