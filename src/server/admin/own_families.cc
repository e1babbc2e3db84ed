#include "server/admin/own_families.h"

#include "server/admin/own_handlers.h"
#include "server/command/shown_args.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kAlways = kLoading | kStale | kNoWork;
constexpr std::uint32_t kFirst = kAlways | kFast | kNoScript | kNoAuth | kAllowBusy;
constexpr std::uint32_t kClient = kAlways | kNoScript;
constexpr std::uint32_t kOperator = kAlways | kNoScript | kAdmin | kDangerous;
constexpr std::uint32_t kExec = kAlways | kNoScript | kSkipSlowlog | kWithinMulti | kExecutes;
constexpr std::uint32_t kWatches = kLoading | kStale | kNoScript | kFast | kAllowBusy;
constexpr std::uint32_t kInMulti = kWatches | kNoWork;

// clang-format off
constexpr CommandSpec kClientCommands[] = {
    {"caching",      3,  kClient,                kNoKeys, own::ClientCaching,
     "Tell whether the next command's keys are tracked."},
    {"getname",      2,  kClient,                kNoKeys, own::ClientGetName,
     "Return the name of the connection."},
    {"getredir",     2,  kClient,                kNoKeys, own::ClientGetRedir,
     "Return where tracking messages go."},
    {"help",         2,  kAlways,                kNoKeys, own::ClientHelp,         "Tell what the subcommands do."},
    {"id",           2,  kClient,                kNoKeys, own::ClientId,
     "Return the number of the connection."},
    {"info",         2,  kClient,                kNoKeys, own::ClientInfoCommand,  "Describe the connection."},
    {"kill",         -3, kOperator,              kNoKeys, own::ClientKill,         "Close connections."},
    {"list",         -2, kOperator,              kNoKeys, own::ClientList,         "Describe all connections."},
    {"no-evict",     3,  kOperator,              kNoKeys, own::ClientNoEvict,
     "Protect the connection from eviction."},
    {"no-touch",     3,  kClient,                kNoKeys, own::ClientNoTouch,      "Leave access times alone."},
    {"pause",        -3, kOperator,              kNoKeys, own::ClientPauseCommand, "Hold commands back for a while."},
    {"reply",        3,  kClient | kSetsReplies, kNoKeys, own::ClientReply,        "Tell whether replies are wanted."},
    {"setinfo",      4,  kClient,                kNoKeys, own::ClientSetInfo,      "Tell which library the client is."},
    {"setname",      3,  kClient,                kNoKeys, own::ClientSetName,      "Name the connection."},
    {"tracking",     -3, kClient,                kNoKeys, own::ClientTracking,     "Switch tracking of keys."},
    {"trackinginfo", 2,  kClient,                kNoKeys, own::ClientTrackingInfo, "Tell whether keys are tracked."},
    {"unblock",      -3, kOperator,              kNoKeys, own::ClientUnblock,      "End the wait of a blocked client."},
    {"unpause",      2,  kOperator,              kNoKeys, own::ClientUnpause,      "End the pause of clients."},
};

constexpr CommandSpec kCommandCommands[] = {
    {"count",           2,  kAlways, kNoKeys, own::CommandCount,           "Count the commands."},
    {"docs",            -2, kAlways, kNoKeys, own::CommandDocs,            "Tell what commands do."},
    {"getkeys",         -4, kAlways, kNoKeys, own::CommandGetKeys,         "List the keys in a command."},
    {"getkeysandflags", -4, kAlways, kNoKeys, own::CommandGetKeysAndFlags,
     "List the keys in a command and what happens to them."},
    {"help",            2,  kAlways, kNoKeys, own::CommandHelp,            "Tell what the subcommands do."},
    {"info",            -2, kAlways, kNoKeys, own::CommandInfo,            "Describe commands."},
    {"list",            -2, kAlways, kNoKeys, own::CommandList,            "List the names of commands."},
};

constexpr CommandSpec kConnectionCommands[] = {
    {"auth",   -2, kFirst,                                   kNoKeys, own::Auth,
     "Tell who the client is.", {}, AllArgsSecret},
    {"client", -2, kNoWork,                                  kNoKeys, nullptr,
     "About the connections of clients.", kClientCommands},
    {"echo",   2,  kAlways | kFast,                          kNoKeys, own::Echo,
     "Return the argument."},
    {"hello",  -1, kFirst,                                   kNoKeys, own::Hello,
     "Agree on a version of the protocol.", {}, own::HelloSecrets},
    {"ping",   -1, kNoWork | kFast | kWhileSubscribed,       kNoKeys, own::Ping,
     "Return PONG, or the argument."},
    {"quit",   -1, kFirst | kWhileSubscribed | kWithinMulti, kNoKeys, own::Quit,
     "Close the connection."},
    {"reset",  1,  kFirst | kWhileSubscribed | kWithinMulti, kNoKeys, own::Reset,
     "Begin like a new connection."},
    {"select", 2,  kAlways | kFast | kSelects,               kNoKeys, own::Select,
     "Choose the database."},
    {"wait",   3,  kNoScript | kNoWork,                      kNoKeys, own::Wait,
     "Return how many replicas have what was written: none, there are none."},
};

constexpr CommandSpec kTransactionCommands[] = {
    {"discard", 1,  kInMulti | kWithinMulti, kNoKeys,                   own::Discard,
     "Forget the queued commands."},
    {"exec",    1,  kExec,                   kNoKeys,                   own::Exec,
     "Run the queued commands as one."},
    {"multi",   1,  kInMulti | kWithinMulti, kNoKeys,                   own::Multi,
     "Begin to queue commands."},
    {"unwatch", 1,  kInMulti,                kNoKeys,                   own::Unwatch,
     "Watch no keys any more."},
    {"watch",   -2, kWatches | kWithinMulti, AllKeys(kRO | kUncounted), own::WatchCommand,
     "Run the next transaction only if these keys stay as they are."},
};

constexpr CommandSpec kConfigCommands[] = {
    {"get",       -3, kOperator, kNoKeys, own::ConfigGet,       "Return settings."},
    {"help",      2,  kAlways,   kNoKeys, own::ConfigHelp,      "Tell what the subcommands do."},
    {"resetstat", 2,  kOperator, kNoKeys, own::ConfigResetStat, "Begin to count anew."},
    {"rewrite",   2,  kOperator, kNoKeys, own::ConfigRewrite,   "Write the settings to their file."},
    {"set",       -4, kOperator, kNoKeys, own::ConfigSet,
     "Change settings, all or none.", {}, own::ConfigSetSecrets},
};

constexpr CommandSpec kSlowlogCommands[] = {
    {"get",   -2, kAlways | kAdmin | kDangerous, kNoKeys, own::SlowlogGet,   "Return the last slow commands."},
    {"help",  2,  kAlways,                       kNoKeys, own::SlowlogHelp,  "Tell what the subcommands do."},
    {"len",   2,  kAlways | kAdmin | kDangerous, kNoKeys, own::SlowlogLen,   "Count the slow commands."},
    {"reset", 2,  kAlways | kAdmin | kDangerous, kNoKeys, own::SlowlogReset, "Forget the slow commands."},
};

constexpr CommandSpec kLatencyCommands[] = {
    {"doctor",    2,  kOperator, kNoKeys, own::LatencyDoctor,           "Report on latency in words."},
    {"graph",     3,  kOperator, kNoKeys, own::LatencyGraph,            "Draw the latency of an event."},
    {"help",      2,  kAlways,   kNoKeys, own::LatencyHelp,             "Tell what the subcommands do."},
    {"histogram", -2, kOperator, kNoKeys, own::LatencyHistogramCommand, "Return how long commands took, by buckets."},
    {"history",   3,  kOperator, kNoKeys, own::LatencyHistory,          "Return the samples of an event."},
    {"latest",    2,  kOperator, kNoKeys, own::LatencyLatest,           "Return the last sample of each event."},
    {"reset",     -2, kOperator, kNoKeys, own::LatencyReset,            "Forget the samples of events."},
};

constexpr CommandSpec kMemoryCommands[] = {
    {"doctor",       2, kNoWork, kNoKeys, own::MemoryDoctor,      "Report on memory in words."},
    {"malloc-stats", 2, kNoWork, kNoKeys, own::MemoryMallocStats, "Return what the allocator tells."},
    {"purge",        2, kNoWork, kNoKeys, own::MemoryPurge,       "Give memory back to the system."},
    {"stats",        2, kNoWork, kNoKeys, own::MemoryStats,       "Return figures of memory."},
};

constexpr CommandSpec kModuleCommands[] = {
    {"help", 2, kAlways,   kNoKeys, own::ModuleHelp, "Tell what the subcommands do."},
    {"list", 2, kOperator, kNoKeys, own::ModuleList, "Return an empty list: there are none."},
};

constexpr CommandSpec kServerCommands[] = {
    {"bgrewriteaof", 1,  kOperator,                                         kNoKeys, own::BgRewriteAof,
     "Nothing: the engine looks after its log."},
    {"bgsave",       -1, kOperator,                                         kNoKeys, own::BgSave,
     "Write a backup beside the clients."},
    {"command",      -1, kAlways,                                           kNoKeys, own::CommandAll,
     "Describe all commands.", kCommandCommands},
    {"config",       -2, kNoWork,                                           kNoKeys, nullptr,
     "About the settings.", kConfigCommands},
    {"debug",        -2, kOperator,                                         kNoKeys, own::Debug,
     "For tests."},
    {"info",         -1, kAlways | kDangerous,                              kNoKeys, own::Info,
     "Return figures of the server."},
    {"lastsave",     1,  kAlways | kFast | kAdmin | kDangerous,             kNoKeys, own::LastSave,
     "Return when everything was made durable."},
    {"latency",      -2, kNoWork,                                           kNoKeys, nullptr,
     "About slow moments.", kLatencyCommands},
    {"lolwut",       -1, kReadOnly | kFast | kNoWork,                       kNoKeys, own::Lolwut,
     "Draw a mayfly."},
    {"memory",       -2, kNoWork,                                           kNoKeys, nullptr,
     "About memory.", kMemoryCommands},
    {"module",       -2, kNoWork,                                           kNoKeys, nullptr,
     "About modules, which are not offered.", kModuleCommands},
    {"monitor",      1,  kOperator,                                         kNoKeys, own::Monitor,
     "Show every command that runs."},
    {"replicaof",    3,  kOperator,                                         kNoKeys, own::ReplicaOf,
     "Refused, but for NO ONE."},
    {"role",         1,  kAlways | kNoScript | kFast | kAdmin | kDangerous, kNoKeys, own::Role,
     "Return the part in replication: master, without replicas."},
    {"save",         1,  kOperator | kNoMulti,                              kNoKeys, own::Save,
     "Make everything durable."},
    {"shutdown",     -1, kOperator | kNoMulti | kAllowBusy | kSavesFirst,   kNoKeys, own::ShutdownCommand,
     "Stop the server."},
    {"slaveof",      3,  kOperator,                                         kNoKeys, own::ReplicaOf,
     "Refused, but for NO ONE."},
    {"slowlog",      -2, kNoWork,                                           kNoKeys, nullptr,
     "About slow commands.", kSlowlogCommands},
    {"time",         1,  kAlways | kFast,                                   kNoKeys, own::Time,
     "Return the time."},
};

constexpr CommandSpec kWholeDatabaseCommands[] = {
    {"flushall", -1, kWrite | kEverything | kDangerous,         kNoKeys, own::FlushAll, "Empty all databases."},
    {"flushdb",  -1, kWrite | kEverything | kDangerous,         kNoKeys, own::FlushDb,  "Empty the selected database."},
    {"swapdb",   3,  kWrite | kFast | kEverything | kDangerous, kNoKeys, own::SwapDb,
     "Exchange the numbers of two databases."},
};
// clang-format on

}  // namespace

std::vector<CommandFamily> OwnFamilies() {
  // clang-format off
  return {
      {"connection",   Category::kConnection,  kConnectionCommands},
      {"transactions", Category::kTransaction, kTransactionCommands},
      {"server",       Category::kAdmin,       kServerCommands},
      {"server",       Category::kKeyspace,    kWholeDatabaseCommands},
  };
  // clang-format on
}

}  // namespace mayfly::server
