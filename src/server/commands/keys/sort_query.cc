#include "server/commands/keys/sort_query.h"

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "types/member_key.h"
#include "types/string.h"
#include "types/value_type.h"

namespace mayfly::server {
namespace {

std::optional<std::string> IfThere(bool exists, Bytes value) {
  if (!exists) return std::nullopt;
  return std::string(value);
}

}  // namespace

Result<SortQuery> ParseSortQuery(std::span<const Bytes> words, bool read_only) {
  SortQuery query;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t left = words.size() - i - 1;
    if (IsWord(words[i], "asc")) {
      query.descending = false;
    } else if (IsWord(words[i], "desc")) {
      query.descending = true;
    } else if (IsWord(words[i], "alpha")) {
      query.alpha = true;
    } else if (IsWord(words[i], "limit") && left >= 2) {
      MAYFLY_TRY(query.offset, IntegerArgument(words[i + 1]));
      MAYFLY_TRY(query.limit, IntegerArgument(words[i + 2]));
      i += 2;
    } else if (IsWord(words[i], "store") && left >= 1 && !read_only) {
      query.store = words[++i];
    } else if (IsWord(words[i], "by") && left >= 1) {
      query.by = words[++i];
      if (query.by->find('*') == Bytes::npos) query.unsorted = true;
    } else if (IsWord(words[i], "get") && left >= 1) {
      query.gets.push_back(words[++i]);
    } else {
      return SyntaxError();
    }
  }
  return query;
}

Result<std::optional<std::string>> FollowPattern(core::TransactionKeyspace& space, Bytes pattern,
                                                 Bytes element) {
  if (pattern == "#") return std::optional(std::string(element));
  const std::size_t star = pattern.find('*');
  if (star == Bytes::npos) return std::optional<std::string>();
  const std::size_t arrow = pattern.find("->", star + 1);
  // An arrow without a field is a part of the name.
  const bool has_field = arrow != Bytes::npos && arrow + 2 < pattern.size();
  const Bytes rest = pattern.substr(star + 1, has_field ? arrow - star - 1 : Bytes::npos);
  const std::string key = std::string(pattern.substr(0, star)).append(element).append(rest);
  if (key.empty()) return std::optional<std::string>();

  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
  if (!row.exists) return std::optional<std::string>();
  MAYFLY_TRY(const types::ValueType type, types::TypeOf(row.is_collection, row.value));
  if (!has_field) {
    MAYFLY_RETURN_IF_ERROR(types::ShowString(space, key, row));
    return IfThere(type == types::ValueType::kString, row.value);
  }
  if (type != types::ValueType::kHash) return std::optional<std::string>();
  core::FoundMember field;
  MAYFLY_RETURN_IF_ERROR(space.FindMember(key, types::MemberKey(pattern.substr(arrow + 2)), field));
  return IfThere(field.exists, field.value);
}

}  // namespace mayfly::server
