#include "server/acl/key_access.h"

#include <algorithm>
#include <string_view>

#include "server/command_words.h"

namespace mayfly::server {
namespace {

// The first key and the others. Commands that are not listed read if they are read-only, and do
// both if not. Names are apart by blanks.
struct AccessRow {
  KeyPermission first;
  KeyPermission others;
  std::string_view commands;
};

constexpr AccessRow kAccessRows[] = {
    {kNoPermission, kNoPermission,
     " exists hexists hlen hstrlen llen memory|usage object|encoding object|freq object|idletime"
     " object|refcount scard sismember strlen touch type watch zcard "                        },
    {kKeyRead,      kKeyWrite,     " copy sort georadius georadiusbymember "                  },
    {kKeyBoth,      kKeyWrite,     " blmove brpoplpush lmove rename renamenx rpoplpush smove "},
    {kKeyWrite,     kKeyRead,
     " bitop geosearchstore sdiffstore sinterstore sunionstore zdiffstore zinterstore zrangestore"
     " zunionstore "                                                                          },
    {kKeyBoth,      kKeyRead,      " pfmerge "                                                },
    {kKeyWrite,     kKeyWrite,
     " append del expire expireat geoadd hdel hexpire hexpireat hmset hpersist hpexpire hpexpireat"
     " hset hsetex hsetnx linsert lpush lpushx lrem lset ltrim mset msetnx persist pexpire"
     " pexpireat pfadd psetex restore rpush rpushx sadd setex setnx setrange srem unlink zadd zrem"
     " zremrangebylex zremrangebyrank zremrangebyscore "                                      },
};

// SET reads with GET alone, BITFIELD writes with SET or INCRBY alone.
std::optional<KeyPermission> ByArguments(std::string_view name, std::span<const Bytes> args) {
  if (name == "set" && args.size() > 3) {
    return HasWord(args.subspan(3), "get") ? kKeyBoth : kKeyWrite;
  }
  if (name == "set") return kKeyWrite;
  if (name == "bitfield" && args.size() > 2) {
    const auto rest = args.subspan(2);
    return HasWord(rest, "set") || HasWord(rest, "incrby") ? kKeyBoth : kKeyRead;
  }
  return std::nullopt;
}

KeyPermission NeedOf(const CommandCatalog::Entry& entry, std::span<const Bytes> args,
                     bool is_first) {
  if (const auto need = ByArguments(entry.name, args)) return *need;
  for (const AccessRow& row : kAccessRows) {
    if (ListsCommand(row.commands, entry.name)) return is_first ? row.first : row.others;
  }
  return (entry.spec->flags & kReadOnly) != 0 ? kKeyRead : kKeyBoth;
}

std::vector<int> PositionsOf(const KeySpec& keys, std::span<const Bytes> args) {
  std::vector<int> positions;
  if (keys.find != nullptr) {
    if (!keys.find(args, positions)) positions.clear();
    return positions;
  }
  if (keys.first == 0) return positions;
  const auto count = static_cast<int>(args.size());
  const int last = keys.last < 0 ? count + keys.last : keys.last;
  for (int i = keys.first; i <= last && i < count; i += std::max(keys.step, 1)) {
    positions.push_back(i);
  }
  return positions;
}

}  // namespace

std::vector<KeyUse> KeysOf(const CommandCatalog::Entry& entry, std::span<const Bytes> args) {
  std::vector<KeyUse> uses;
  for (const int position : PositionsOf(entry.spec->keys, args)) {
    uses.push_back({position, NeedOf(entry, args, uses.empty())});
  }
  return uses;
}

ChannelUse ChannelsOf(const CommandCatalog::Entry& entry, std::span<const Bytes> args) {
  if (args.size() < 2) return {};
  const std::string_view name = entry.name;
  if (name == "publish" || name == "spublish") return {args.subspan(1, 1)};
  if (name == "subscribe" || name == "ssubscribe") return {args.subspan(1)};
  if (name == "psubscribe") return {args.subspan(1), true};
  return {};
}

}  // namespace mayfly::server
