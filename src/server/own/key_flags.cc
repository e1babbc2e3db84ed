#include "server/own/key_flags.h"

#include <algorithm>

#include "server/command_words.h"

namespace mayfly::server::own {
namespace {

constexpr std::string_view kRead = "RO access";
constexpr std::string_view kReplace = "OW update";
constexpr std::string_view kChange = "RW access update";

// Commands that are not listed read if they are read-only, and update if not. Names are apart by
// blanks.
struct FlagsRow {
  std::string_view first;
  std::string_view others;
  std::string_view commands;
};

constexpr FlagsRow kFlagsRows[] = {
    {"RO",               "RO",
     " exists hexists hlen hstrlen llen memory|usage object|encoding object|freq object|idletime"
     " object|refcount scard sismember strlen touch type watch zcard "                               },
    {"RW insert",        "RW insert",        " append hsetnx linsert lpush lpushx rpush rpushx sadd "},
    {"RW delete",        "RW delete",
     " hdel lrem ltrim srem zrem zremrangebylex zremrangebyrank zremrangebyscore "                   },
    {"RW access delete", "RW access delete",
     " blmpop blpop brpop bzmpop bzpopmax bzpopmin getdel hgetdel lmpop lpop rpop spop zmpop"
     " zpopmax zpopmin "                                                                             },
    {"RW access delete", "RW insert",        " blmove brpoplpush lmove rpoplpush smove "             },
    {"RW access delete", kReplace,           " rename "                                              },
    {"RW access delete", "OW insert",        " renamenx "                                            },
    {"RM delete",        "RM delete",        " del unlink "                                          },
    {"OW insert",        "OW insert",        " msetnx setnx "                                        },
    {kReplace,           kReplace,           " mset psetex restore set setex "                       },
    {kReplace,           kRead,
     " bitop sdiffstore sunionstore zdiffstore zinterstore zrangestore zunionstore "                 },
    {"RW update",        kRead,              " sinterstore "                                         },
    {kRead,              kReplace,           " copy sort "                                           },
    {kChange,            kChange,
     " bitfield decr decrby eval evalsha getex getset hgetex hincrby hincrbyfloat incr incrby"
     " incrbyfloat move setbit zincrby "                                                             },
};

std::string_view FlagsText(const CommandEntry& entry, std::span<const Bytes> args, bool is_first) {
  const std::string_view name = entry.full_name;
  if (name == "set" && (args.empty() || (args.size() > 3 && HasWord(args.subspan(3), "get")))) {
    return kChange;
  }
  if (name == "bitfield" && args.size() > 1 && !HasWord(args.subspan(2), "set") &&
      !HasWord(args.subspan(2), "incrby")) {
    return kRead;
  }
  for (const FlagsRow& row : kFlagsRows) {
    if (ListsCommand(row.commands, name)) return is_first ? row.first : row.others;
  }
  return entry.Is(kWrite) ? "RW update" : kRead;
}

}  // namespace

std::vector<std::string_view> KeyFlags(const CommandEntry& entry, std::span<const Bytes> args,
                                       bool is_first) {
  std::vector<std::string_view> flags;
  std::string_view rest = FlagsText(entry, args, is_first);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    flags.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return flags;
}

}  // namespace mayfly::server::own
