#include "server/admin/admin_families.h"

#include "server/admin/admin_handlers.h"
#include "server/command/shown_args.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kAlways = kLoading | kStale | kNoRows;
constexpr std::uint32_t kFirst = kAlways | kFast | kNoScript | kNoAuth | kAllowBusy;
constexpr std::uint32_t kClient = kAlways | kNoScript;
constexpr std::uint32_t kOperator = kAlways | kNoScript | kAdmin | kDangerous;
constexpr std::uint32_t kExec = kAlways | kNoScript | kSkipSlowlog | kWithinMulti | kExecutes;
constexpr std::uint32_t kWatches = kLoading | kStale | kNoScript | kFast | kAllowBusy;
constexpr std::uint32_t kInMulti = kWatches | kNoRows;

// clang-format off
constexpr CommandSpec kClientCommands[] = {
    {"caching",      3,  kClient,                kNoKeys, admin::ClientCaching,
     "Tell whether the next command's keys are tracked."},
    {"getname",      2,  kClient,                kNoKeys, admin::ClientGetName,
     "Return the name of the connection."},
    {"getredir",     2,  kClient,                kNoKeys, admin::ClientGetRedir,
     "Return where tracking messages go."},
    {"help",         2,  kAlways,                kNoKeys, admin::ClientHelp,         "Tell what the subcommands do."},
    {"id",           2,  kClient,                kNoKeys, admin::ClientId,
     "Return the number of the connection."},
    {"info",         2,  kClient,                kNoKeys, admin::ClientInfoCommand,  "Describe the connection."},
    {"kill",         -3, kOperator,              kNoKeys, admin::ClientKill,         "Close connections."},
    {"list",         -2, kOperator,              kNoKeys, admin::ClientList,         "Describe all connections."},
    {"no-evict",     3,  kOperator,              kNoKeys, admin::ClientNoEvict,
     "Protect the connection from eviction."},
    {"no-touch",     3,  kClient,                kNoKeys, admin::ClientNoTouch,      "Leave access times alone."},
    {"pause",        -3, kOperator,              kNoKeys, admin::ClientPauseCommand, "Hold commands back for a while."},
    {"reply",        3,  kClient | kSetsReplies, kNoKeys, admin::ClientReply,
     "Tell whether replies are wanted."},
    {"setinfo",      4,  kClient,                kNoKeys, admin::ClientSetInfo,
     "Tell which library the client is."},
    {"setname",      3,  kClient,                kNoKeys, admin::ClientSetName,      "Name the connection."},
    {"tracking",     -3, kClient,                kNoKeys, admin::ClientTracking,     "Switch tracking of keys."},
    {"trackinginfo", 2,  kClient,                kNoKeys, admin::ClientTrackingInfo, "Tell whether keys are tracked."},
    {"unblock",      -3, kOperator,              kNoKeys, admin::ClientUnblock,
     "End the wait of a blocked client."},
    {"unpause",      2,  kOperator,              kNoKeys, admin::ClientUnpause,      "End the pause of clients."},
};

constexpr CommandSpec kCommandCommands[] = {
    {"count",           2,  kAlways, kNoKeys, admin::CommandCount,           "Count the commands."},
    {"docs",            -2, kAlways, kNoKeys, admin::CommandDocs,            "Tell what commands do."},
    {"getkeys",         -4, kAlways, kNoKeys, admin::CommandGetKeys,         "List the keys in a command."},
    {"getkeysandflags", -4, kAlways, kNoKeys, admin::CommandGetKeysAndFlags,
     "List the keys in a command and what happens to them."},
    {"help",            2,  kAlways, kNoKeys, admin::CommandHelp,            "Tell what the subcommands do."},
    {"info",            -2, kAlways, kNoKeys, admin::CommandInfo,            "Describe commands."},
    {"list",            -2, kAlways, kNoKeys, admin::CommandList,            "List the names of commands."},
};

constexpr CommandSpec kConnectionCommands[] = {
    {"auth",   -2, kFirst,                                   kNoKeys, admin::Auth,
     "Tell who the client is.", {}, AllArgsSecret},
    {"client", -2, kNoRows,                                  kNoKeys, nullptr,
     "About the connections of clients.", kClientCommands},
    {"echo",   2,  kAlways | kFast,                          kNoKeys, admin::Echo,
     "Return the argument."},
    {"hello",  -1, kFirst,                                   kNoKeys, admin::Hello,
     "Agree on a version of the protocol.", {}, admin::HelloSecrets},
    {"ping",   -1, kNoRows | kFast | kWhileSubscribed,       kNoKeys, admin::Ping,
     "Return PONG, or the argument."},
    {"quit",   -1, kFirst | kWhileSubscribed | kWithinMulti, kNoKeys, admin::Quit,
     "Close the connection."},
    {"reset",  1,  kFirst | kWhileSubscribed | kWithinMulti, kNoKeys, admin::Reset,
     "Begin like a new connection."},
    {"select", 2,  kAlways | kFast | kSelects,               kNoKeys, admin::Select,
     "Choose the database."},
    {"wait",   3,  kNoScript | kNoRows | kBlocking,          kNoKeys, admin::Wait,
     "Wait until so many followers have what the client wrote; return how many."},
    {"waitaof", 4, kNoScript | kNoRows,                      kNoKeys, admin::WaitAof,
     "Wait until what the client wrote is on the disk here."},
};

constexpr CommandSpec kTransactionCommands[] = {
    {"discard", 1,  kInMulti | kWithinMulti, kNoKeys,                   admin::Discard,
     "Forget the queued commands."},
    {"exec",    1,  kExec,                   kNoKeys,                   admin::Exec,
     "Run the queued commands as one."},
    {"multi",   1,  kInMulti | kWithinMulti, kNoKeys,                   admin::Multi,
     "Begin to queue commands."},
    {"unwatch", 1,  kInMulti,                kNoKeys,                   admin::Unwatch,
     "Watch no keys any more."},
    {"watch",   -2, kWatches | kWithinMulti, AllKeys(kRO | kUncounted), admin::WatchCommand,
     "Run the next transaction only if these keys stay as they are."},
};

constexpr CommandSpec kConfigCommands[] = {
    {"get",       -3, kOperator, kNoKeys, admin::ConfigGet,       "Return settings."},
    {"help",      2,  kAlways,   kNoKeys, admin::ConfigHelp,      "Tell what the subcommands do."},
    {"resetstat", 2,  kOperator, kNoKeys, admin::ConfigResetStat, "Begin to count anew."},
    {"rewrite",   2,  kOperator, kNoKeys, admin::ConfigRewrite,   "Write the settings to their file."},
    {"set",       -4, kOperator, kNoKeys, admin::ConfigSet,
     "Change settings, all or none.", {}, admin::ConfigSetSecrets},
};

constexpr CommandSpec kSlowlogCommands[] = {
    {"get",   -2, kAlways | kAdmin | kDangerous, kNoKeys, admin::SlowlogGet,   "Return the last slow commands."},
    {"help",  2,  kAlways,                       kNoKeys, admin::SlowlogHelp,  "Tell what the subcommands do."},
    {"len",   2,  kAlways | kAdmin | kDangerous, kNoKeys, admin::SlowlogLen,   "Count the slow commands."},
    {"reset", 2,  kAlways | kAdmin | kDangerous, kNoKeys, admin::SlowlogReset, "Forget the slow commands."},
};

constexpr CommandSpec kLatencyCommands[] = {
    {"doctor",    2,  kOperator, kNoKeys, admin::LatencyDoctor,           "Report on latency in words."},
    {"graph",     3,  kOperator, kNoKeys, admin::LatencyGraph,            "Draw the latency of an event."},
    {"help",      2,  kAlways,   kNoKeys, admin::LatencyHelp,             "Tell what the subcommands do."},
    {"histogram", -2, kOperator, kNoKeys, admin::LatencyHistogramCommand, "Return how long commands took, by buckets."},
    {"history",   3,  kOperator, kNoKeys, admin::LatencyHistory,          "Return the samples of an event."},
    {"latest",    2,  kOperator, kNoKeys, admin::LatencyLatest,           "Return the last sample of each event."},
    {"reset",     -2, kOperator, kNoKeys, admin::LatencyReset,            "Forget the samples of events."},
};

constexpr CommandSpec kMemoryCommands[] = {
    {"doctor",       2, kNoRows, kNoKeys, admin::MemoryDoctor,      "Report on memory in words."},
    {"malloc-stats", 2, kNoRows, kNoKeys, admin::MemoryMallocStats, "Return what the allocator tells."},
    {"purge",        2, kNoRows, kNoKeys, admin::MemoryPurge,       "Give memory back to the system."},
    {"stats",        2, kNoRows, kNoKeys, admin::MemoryStats,       "Return figures of memory."},
};

constexpr CommandSpec kModuleCommands[] = {
    {"help", 2, kAlways,   kNoKeys, admin::ModuleHelp, "Tell what the subcommands do."},
    {"list", 2, kOperator, kNoKeys, admin::ModuleList, "Return an empty list: there are none."},
};

constexpr CommandSpec kServerCommands[] = {
    {"bgrewriteaof", 1,  kOperator,                                         kNoKeys, admin::BgRewriteAof,
     "Nothing: the engine looks after its log."},
    {"bgsave",       -1, kOperator,                                         kNoKeys, admin::BgSave,
     "Write a backup beside the clients."},
    {"command",      -1, kAlways,                                           kNoKeys, admin::CommandAll,
     "Describe all commands.", kCommandCommands},
    {"config",       -2, kNoRows,                                           kNoKeys, nullptr,
     "About the settings.", kConfigCommands},
    {"debug",        -2, kOperator,                                         kNoKeys, admin::Debug,
     "For tests."},
    {"info",         -1, kAlways | kDangerous,                              kNoKeys, admin::Info,
     "Return figures of the server."},
    {"lastsave",     1,  kAlways | kFast | kAdmin | kDangerous,             kNoKeys, admin::LastSave,
     "Return when everything was made durable."},
    {"latency",      -2, kNoRows,                                           kNoKeys, nullptr,
     "About slow moments.", kLatencyCommands},
    {"lolwut",       -1, kReadOnly | kFast | kNoRows,                       kNoKeys, admin::Lolwut,
     "Draw a mayfly."},
    {"memory",       -2, kNoRows,                                           kNoKeys, nullptr,
     "About memory.", kMemoryCommands},
    {"module",       -2, kNoRows,                                           kNoKeys, nullptr,
     "About modules, which are not offered.", kModuleCommands},
    {"monitor",      1,  kOperator | kStreams,                              kNoKeys, admin::Monitor,
     "Show every command that runs."},
    {"psync",        -3, kOperator | kNoMulti,                              kNoKeys, admin::PSync,
     "Ask for the stream of changes, as a follower does."},
    {"replconf",     -1, kOperator | kLoading | kStale | kAllowBusy,        kNoKeys, admin::ReplConf,
     "Tell what a follower is, and how far."},
    {"replicaof",    3,  kOperator | kNoMulti,                              kNoKeys, admin::ReplicaOf,
     "Follow another server; NO ONE: stop that."},
    {"role",         1,  kAlways | kNoScript | kFast | kAdmin | kDangerous, kNoKeys, admin::Role,
     "Return the part in replication: master, or slave of the server that is followed."},
    {"save",         1,  kOperator | kNoMulti,                              kNoKeys, admin::Save,
     "Make everything durable."},
    {"shutdown",     -1, kOperator | kNoMulti | kAllowBusy | kSavesFirst,   kNoKeys, admin::ShutdownCommand,
     "Stop the server."},
    {"slaveof",      3,  kOperator | kNoMulti,                              kNoKeys, admin::ReplicaOf,
     "Follow another server; NO ONE: stop that."},
    {"slowlog",      -2, kNoRows,                                           kNoKeys, nullptr,
     "About slow commands.", kSlowlogCommands},
    {"sync",         1,  kOperator | kNoMulti,                              kNoKeys, admin::Sync,
     "Ask for a full copy and the stream of changes."},
    {"time",         1,  kAlways | kFast,                                   kNoKeys, admin::Time,
     "Return the time."},
};

constexpr CommandSpec kWholeDatabaseCommands[] = {
    {"flushall", -1, kWrite | kEverything | kDangerous,         kNoKeys, admin::FlushAll, "Empty all databases."},
    {"flushdb",  -1, kWrite | kEverything | kDangerous,         kNoKeys, admin::FlushDb,
     "Empty the selected database."},
    {"swapdb",   3,  kWrite | kFast | kEverything | kDangerous, kNoKeys, admin::SwapDb,
     "Exchange the numbers of two databases."},
};
// clang-format on

}  // namespace

std::vector<CommandFamily> AdminFamilies() {
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
