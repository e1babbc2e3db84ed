// ttl_commands_tree.cc - TTL.TREE: what is directly below a prefix: keys, and longer prefixes that
// end with the delimiter, each once.
#include <algorithm>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_cursor.h"
#include "server/commands/ttl/ttl_fields.h"

namespace mayfly::server {
namespace {

// Keys one call may read: the thread's other clients wait.
constexpr std::int64_t kTreeKeysMax = 20'000;

struct Child {
  std::string name;  // Behind the prefix; that of a folder has its delimiter.
  bool is_folder = false;
  std::int64_t keys = 0;                            // Of a folder, as far as they were counted.
  bool has_more = false;                            // It has more than were counted.
  std::optional<WallTime> deadline = std::nullopt;  // Of a key.
};

struct Asked {
  Bytes prefix;
  std::string delimiter = ":";
  std::int64_t lines_max = 100;
  std::int64_t keys_max = 100;  // Counted of each folder.
};

// The first key behind all that begin with `prefix`; empty: there is none.
std::string BehindAll(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

// Counts a folder's keys up to the bounds, and passes the rest of them.
Child TakeFolder(Cursor& cursor, const Asked& asked, Bytes whole, std::int64_t& looked_at) {
  Child child{.name = std::string(whole.substr(asked.prefix.size())), .is_folder = true};
  while (cursor.Valid() && cursor.key().starts_with(whole) && child.keys < asked.keys_max &&
         looked_at < kTreeKeysMax) {
    ++child.keys;
    ++looked_at;
    cursor.Next();
  }
  child.has_more = cursor.Valid() && cursor.key().starts_with(whole);
  return child;
}

// Leaves the cursor on the first key that is in none of them; false: there is none left.
bool List(Cursor& cursor, const Asked& asked, std::vector<Child>& children) {
  std::int64_t looked_at = 0;
  const auto is_below = [&] { return cursor.Valid() && cursor.key().starts_with(asked.prefix); };
  while (is_below() && std::ssize(children) < asked.lines_max && looked_at < kTreeKeysMax) {
    const Bytes rest = cursor.key().substr(asked.prefix.size());
    const std::size_t at = rest.find(asked.delimiter);
    if (at == Bytes::npos) {
      children.push_back({.name = std::string(rest), .deadline = cursor.deadline()});
      ++looked_at;
      cursor.Next();
      continue;
    }
    const std::string whole(
        cursor.key().substr(0, asked.prefix.size() + at + asked.delimiter.size()));
    children.push_back(TakeFolder(cursor, asked, whole, looked_at));
    if (!children.back().has_more) continue;
    const std::string behind = BehindAll(whole);
    if (behind.empty()) return false;
    cursor.SeekAtOrAfter(behind);
  }
  return is_below();
}

void WriteChild(ReplyWriter& reply, const Child& child) {
  if (child.is_folder) {
    reply.Map(4);
    Field(reply, "name", Bytes(child.name));
    Field(reply, "kind", Bytes("folder"));
    Field(reply, "keys", child.keys);
    Field(reply, "more", child.has_more);
    return;
  }
  reply.Map(child.deadline ? 3 : 2);
  Field(reply, "name", Bytes(child.name));
  Field(reply, "kind", Bytes("key"));
  if (child.deadline) Field(reply, "deadline", *child.deadline);
}

// Takes DELIMITER and its argument out of `words`, options and arguments in pairs.
Status TakeDelimiter(std::vector<Bytes>& words, std::string& delimiter) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (!IsWord(words[i], "delimiter")) continue;
    delimiter = words[i + 1];
    if (delimiter.empty()) return Status::Invalid("a delimiter has at least one byte");
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i + 2));
    return {};
  }
  return {};
}

}  // namespace

Answer TtlTree(Call& call) {
  Asked asked{.prefix = call.args[1]};
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> keys;
  const NumberOption options[] = {
      {"count", 1, kTtlPageMax, count},
      {"keys", 1, kTreeKeysMax, keys},
  };
  std::vector<Bytes> words(call.args.begin() + 2, call.args.end());
  MAYFLY_TRY(const auto place, TakeCursor(words));
  MAYFLY_RETURN_IF_ERROR(TakeDelimiter(words, asked.delimiter));
  MAYFLY_RETURN_IF_ERROR(ParseNumbers(words, options));
  asked.lines_max = count.value_or(asked.lines_max);
  asked.keys_max = keys.value_or(asked.keys_max);
  MAYFLY_TRY(const Keyspace* const keyspace, SelectedKeyspace(call));
  MAYFLY_TRY(const auto cursor, keyspace->NewCursor({}));
  cursor->SeekAtOrAfter(std::max(Bytes(place ? *place : ""), asked.prefix));
  std::vector<Child> children;
  const bool has_more = List(*cursor, asked, children);
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  call.reply.Array(2);
  call.reply.Bulk(has_more ? CursorText(cursor->key()) : "0");
  call.reply.Array(children.size());
  for (const Child& child : children) WriteChild(call.reply, child);
  return {};
}

}  // namespace mayfly::server
