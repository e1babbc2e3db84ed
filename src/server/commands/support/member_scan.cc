#include "server/commands/support/member_scan.h"

#include <fmt/format.h>

#include <optional>

#include "base/glob.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/place_cursor.h"
#include "types/member_page.h"

namespace mayfly::server {
namespace {

constexpr std::int64_t kCountUnlessGiven = 10;

struct ScanOptions {
  std::optional<Bytes> pattern;
  std::int64_t count = kCountUnlessGiven;
};

Result<ScanOptions> ParseOptions(std::span<const Bytes> args, bool* no_values) {
  ScanOptions options;
  for (std::size_t i = 0; i < args.size(); i += 2) {
    while (no_values != nullptr && i < args.size() && IsWord(args[i], "novalues")) {
      *no_values = true;
      ++i;
    }
    if (i == args.size()) break;
    if (i + 1 == args.size()) return SyntaxError();
    if (IsWord(args[i], "count")) {
      MAYFLY_TRY(options.count, IntegerArgument(args[i + 1]));
      if (options.count < 1) return SyntaxError();
    } else if (IsWord(args[i], "match")) {
      options.pattern = args[i + 1];
      if (options.pattern == "*") options.pattern.reset();  // Matches an empty name, too.
    } else {
      return SyntaxError();
    }
  }
  return options;
}

}  // namespace

Answer ScanMembers(Call& call, types::ValueType type, WriteMember write, bool* no_values) {
  MAYFLY_TRY(const std::uint64_t cursor, ScanCursorArgument(call.args[2]));
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(types::FindTyped(call.space(), call.args[1], type, row));
  if (!row.exists) {
    call.reply.Array(2);
    call.reply.Bulk("0");
    call.reply.Array(0);
    return {};
  }
  MAYFLY_TRY(const ScanOptions options, ParseOptions(call.args.subspan(3), no_values));

  // The next cursor stands first in the reply and is known last, so the members are held.
  std::vector<std::pair<std::string, std::string>> found;
  MAYFLY_TRY(
      const std::uint64_t next,
      types::WalkPage(call.space(), call.args[1], cursor, static_cast<std::uint64_t>(options.count),
                      [&](Bytes name, Bytes value) {
                        if (options.pattern && !GlobMatches(*options.pattern, name)) return;
                        found.emplace_back(name, value);
                      }));
  call.reply.Array(2);
  call.reply.Bulk(fmt::to_string(next));
  const auto members = call.reply.BeginDeferred(Aggregate::kArray);
  std::size_t replies = 0;
  for (const auto& [name, value] : found) {
    MAYFLY_TRY(const std::size_t written, write(name, value));
    replies += written;
  }
  call.reply.EndDeferred(members, replies);
  return {};
}

}  // namespace mayfly::server
