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
     {"Tell whether the next command's keys are tracked.", "6.0.0", "O(1)", "mode=(YES | NO)"}},
    {"getname",      2,  kClient,                kNoKeys, admin::ClientGetName,
     {"Return the name of the connection.", "2.6.9", "O(1)"}},
    {"getredir",     2,  kClient,                kNoKeys, admin::ClientGetRedir,
     {"Return where tracking messages go.", "6.0.0", "O(1)"}},
    {"help",         2,  kAlways,                kNoKeys, admin::ClientHelp,
     {"Tell what the subcommands do.", "5.0.0", "O(1)"}},
    {"id",           2,  kClient,                kNoKeys, admin::ClientId,
     {"Return the number of the connection.", "5.0.0", "O(1)"}},
    {"info",         2,  kClient,                kNoKeys, admin::ClientInfoCommand,
     {"Describe the connection.", "6.2.0", "O(1)"}},
    {"kill",         -3, kOperator,              kNoKeys, admin::ClientKill,
     {"Close connections.", "2.4.0", "O(n) in the clients connected",
      "filter=(ip:port | new-format=([ID client-id:int] | [TYPE normal_master_slave_pubsub=(NORMAL | MASTER | "
      "SLAVE | REPLICA | PUBSUB)] | [USER username] | [ADDR ip:port] | [LADDR ip:port] | [SKIPME yes/no] | "
      "[MAXAGE maxage:int])...)"}},
    {"list",         -2, kOperator,              kNoKeys, admin::ClientList,
     {"Describe all connections.", "2.4.0", "O(n) in the clients connected",
      "[TYPE normal_master_replica_pubsub=(NORMAL | MASTER | REPLICA | PUBSUB)] [ID id=(client-id:int...)]"}},
    {"no-evict",     3,  kOperator,              kNoKeys, admin::ClientNoEvict,
     {"Protect the connection from eviction.", "7.0.0", "O(1)", "enabled=(ON | OFF)"}},
    {"no-touch",     3,  kClient,                kNoKeys, admin::ClientNoTouch,
     {"Leave access times alone.", "7.2.0", "O(1)", "enabled=(ON | OFF)"}},
    {"pause",        -3, kOperator,              kNoKeys, admin::ClientPauseCommand,
     {"Hold commands back for a while.", "2.9.50", "O(1)", "timeout:int mode=[WRITE | ALL]"}},
    {"reply",        3,  kClient | kSetsReplies, kNoKeys, admin::ClientReply,
     {"Tell whether replies are wanted.", "3.2.0", "O(1)", "on_off_skip=(ON | OFF | SKIP)"}},
    {"setinfo",      4,  kClient,                kNoKeys, admin::ClientSetInfo,
     {"Tell which library the client is.", "7.2.0", "O(1)", "attr=(LIB-NAME libname | LIB-VER libver)"}},
    {"setname",      3,  kClient,                kNoKeys, admin::ClientSetName,
     {"Name the connection.", "2.6.9", "O(1)", "connection-name"}},
    {"tracking",     -3, kClient,                kNoKeys, admin::ClientTrackingCommand,
     {"Switch tracking of keys.", "6.0.0", "O(1)",
      "status=(ON | OFF) [REDIRECT client-id:int] [PREFIX prefix]+ [BCAST] [OPTIN] [OPTOUT] [NOLOOP]"}},
    {"trackinginfo", 2,  kClient,                kNoKeys, admin::ClientTrackingInfo,
     {"Tell whether keys are tracked.", "6.2.0", "O(1)"}},
    {"unblock",      -3, kOperator,              kNoKeys, admin::ClientUnblock,
     {"End the wait of a blocked client.", "5.0.0", "O(1)", "client-id:int timeout_error=[TIMEOUT | ERROR]"}},
    {"unpause",      2,  kOperator,              kNoKeys, admin::ClientUnpause,
     {"End the pause of clients.", "6.2.0", "O(1)"}},
};

constexpr CommandSpec kCommandCommands[] = {
    {"count",           2,  kAlways, kNoKeys, admin::CommandCount,
     {"Count the commands.", "2.8.13", "O(1)"}},
    {"docs",            -2, kAlways, kNoKeys, admin::CommandDocs,
     {"Tell what commands do.", "7.0.0", "O(n) in the commands asked about", "[command-name]..."}},
    {"getkeys",         -4, kAlways, kNoKeys, admin::CommandGetKeys,
     {"List the keys in a command.", "2.8.13", "O(n) in the arguments given", "command [arg]..."}},
    {"getkeysandflags", -4, kAlways, kNoKeys, admin::CommandGetKeysAndFlags,
     {"List the keys in a command and what happens to them.", "7.0.0", "O(n) in the arguments given",
      "command [arg]..."}},
    {"help",            2,  kAlways, kNoKeys, admin::CommandHelp,
     {"Tell what the subcommands do.", "5.0.0", "O(1)"}},
    {"info",            -2, kAlways, kNoKeys, admin::CommandInfo,
     {"Describe commands.", "2.8.13", "O(n) in the commands asked about", "[command-name]..."}},
    {"list",            -2, kAlways, kNoKeys, admin::CommandList,
     {"List the names of commands.", "7.0.0", "O(n) in all commands",
      "[FILTERBY filterby=(MODULE module-name | ACLCAT category | PATTERN pattern:pattern)]"}},
};

constexpr CommandSpec kConnectionCommands[] = {
    {"auth",   -2, kFirst,                                   kNoKeys, admin::Auth,
     {"Tell who the client is.", "1.0.0", "O(n) in the passwords of the user", "[username] password"}, {},
     AllArgsSecret},
    {"client", -2, kNoRows,                                  kNoKeys, nullptr,
     {"About the connections of clients.", "2.4.0", "O(1)"}, kClientCommands},
    {"echo",   2,  kAlways | kFast,                          kNoKeys, admin::Echo,
     {"Return the argument.", "1.0.0", "O(1)", "message"}},
    {"hello",  -1, kFirst,                                   kNoKeys, admin::Hello,
     {"Agree on a version of the protocol.", "6.0.0", "O(1)",
      "arguments=[protover:int [AUTH username_password=(username password)] [SETNAME clientname]]"}, {},
     admin::HelloSecrets},
    {"ping",   -1, kNoRows | kFast | kWhileSubscribed,       kNoKeys, admin::Ping,
     {"Return PONG, or the argument.", "1.0.0", "O(1)", "[message]"}},
    {"quit",   -1, kFirst | kWhileSubscribed | kWithinMulti, kNoKeys, admin::Quit,
     {"Close the connection.", "1.0.0", "O(1)"}},
    {"reset",  1,  kFirst | kWhileSubscribed | kWithinMulti, kNoKeys, admin::Reset,
     {"Begin like a new connection.", "6.2.0", "O(1)"}},
    {"select", 2,  kAlways | kFast | kSelects,               kNoKeys, admin::Select,
     {"Choose the database.", "1.0.0", "O(1)", "index:int"}},
    {"wait",   3,  kNoScript | kNoRows | kBlocking,          kNoKeys, admin::Wait,
     {"Wait until so many followers have what the client wrote; return how many.", "3.0.0", "O(1)",
      "numreplicas:int timeout:int"}},
    {"waitaof", 4, kNoScript | kNoRows,                      kNoKeys, admin::WaitAof,
     {"Wait until what the client wrote is on the disk here.", "7.2.0", "O(1)",
      "numlocal:int numreplicas:int timeout:int"}},
};

constexpr CommandSpec kTransactionCommands[] = {
    {"discard", 1,  kInMulti | kWithinMulti, kNoKeys,                   admin::Discard,
     {"Forget the queued commands.", "2.0.0", "O(n) in the commands queued"}},
    {"exec",    1,  kExec,                   kNoKeys,                   admin::Exec,
     {"Run the queued commands as one.", "1.2.0", "that of the commands queued"}},
    {"multi",   1,  kInMulti | kWithinMulti, kNoKeys,                   admin::Multi,
     {"Begin to queue commands.", "1.2.0", "O(1)"}},
    {"unwatch", 1,  kInMulti,                kNoKeys,                   admin::Unwatch,
     {"Watch no keys any more.", "2.2.0", "O(1)"}},
    {"watch",   -2, kWatches | kWithinMulti, AllKeys(kRO | kUncounted), admin::WatchCommand,
     {"Run the next transaction only if these keys stay as they are.", "2.2.0", "O(n) in the keys given", "key..."}},
};

constexpr CommandSpec kConfigCommands[] = {
    {"get",       -3, kOperator, kNoKeys, admin::ConfigGet,
     {"Return settings.", "2.0.0", "O(n) in the settings named", "parameter=(parameter)..."}},
    {"help",      2,  kAlways,   kNoKeys, admin::ConfigHelp,
     {"Tell what the subcommands do.", "5.0.0", "O(1)"}},
    {"resetstat", 2,  kOperator, kNoKeys, admin::ConfigResetStat,
     {"Begin to count anew.", "2.0.0", "O(1)"}},
    {"rewrite",   2,  kOperator, kNoKeys, admin::ConfigRewrite,
     {"Write the settings to their file.", "2.8.0", "O(1)"}},
    {"set",       -4, kOperator, kNoKeys, admin::ConfigSet,
     {"Change settings, all or none.", "2.0.0", "O(n) in the settings named", "parameter_value=(parameter value)..."},
     {}, admin::ConfigSetSecrets},
};

constexpr CommandSpec kSlowlogCommands[] = {
    {"get",   -2, kAlways | kAdmin | kDangerous, kNoKeys, admin::SlowlogGet,
     {"Return the last slow commands.", "2.2.12", "O(n) in the entries shown", "[count:int]"}},
    {"help",  2,  kAlways,                       kNoKeys, admin::SlowlogHelp,
     {"Tell what the subcommands do.", "6.2.0", "O(1)"}},
    {"len",   2,  kAlways | kAdmin | kDangerous, kNoKeys, admin::SlowlogLen,
     {"Count the slow commands.", "2.2.12", "O(1)"}},
    {"reset", 2,  kAlways | kAdmin | kDangerous, kNoKeys, admin::SlowlogReset,
     {"Forget the slow commands.", "2.2.12", "O(n) in the entries kept"}},
};

constexpr CommandSpec kLatencyCommands[] = {
    {"doctor",    2,  kOperator, kNoKeys, admin::LatencyDoctor,
     {"Report on latency in words.", "2.8.13", "O(1)"}},
    {"graph",     3,  kOperator, kNoKeys, admin::LatencyGraph,
     {"Draw the latency of an event.", "2.8.13", "O(1)", "event"}},
    {"help",      2,  kAlways,   kNoKeys, admin::LatencyHelp,
     {"Tell what the subcommands do.", "2.8.13", "O(1)"}},
    {"histogram", -2, kOperator, kNoKeys, admin::LatencyHistogramCommand,
     {"Return how long commands took, by buckets.", "7.0.0", "O(n) in the commands asked about", "[command]..."}},
    {"history",   3,  kOperator, kNoKeys, admin::LatencyHistory,
     {"Return the samples of an event.", "2.8.13", "O(1)", "event"}},
    {"latest",    2,  kOperator, kNoKeys, admin::LatencyLatest,
     {"Return the last sample of each event.", "2.8.13", "O(1)"}},
    {"reset",     -2, kOperator, kNoKeys, admin::LatencyReset,
     {"Forget the samples of events.", "2.8.13", "O(1)", "[event]..."}},
};

constexpr CommandSpec kMemoryCommands[] = {
    {"doctor",       2, kNoRows, kNoKeys, admin::MemoryDoctor,
     {"Report on memory in words.", "4.0.0", "O(1)"}},
    {"malloc-stats", 2, kNoRows, kNoKeys, admin::MemoryMallocStats,
     {"Return what the allocator tells.", "4.0.0", "O(1)"}},
    {"purge",        2, kNoRows, kNoKeys, admin::MemoryPurge,
     {"Give memory back to the system.", "4.0.0", "O(1)"}},
    {"stats",        2, kNoRows, kNoKeys, admin::MemoryStats,
     {"Return figures of memory.", "4.0.0", "O(1)"}},
};

constexpr CommandSpec kModuleCommands[] = {
    {"help", 2, kAlways,   kNoKeys, admin::ModuleHelp,
     {"Tell what the subcommands do.", "5.0.0", "O(1)"}},
    {"list", 2, kOperator, kNoKeys, admin::ModuleList,
     {"Return an empty list: there are none.", "4.0.0", "O(1)"}},
};

constexpr CommandSpec kServerCommands[] = {
    {"bgrewriteaof", 1,  kOperator,                                         kNoKeys, admin::BgRewriteAof,
     {"Nothing: the engine looks after its log.", "1.0.0", "O(n) in the bytes of the database, in the background"}},
    {"bgsave",       -1, kOperator,                                         kNoKeys, admin::BgSave,
     {"Write a backup beside the clients.", "1.0.0", "O(n) in the bytes of the database, in the background",
      "[SCHEDULE]"}},
    {"command",      -1, kAlways,                                           kNoKeys, admin::CommandAll,
     {"Describe all commands.", "2.8.13", "O(1)"}, kCommandCommands},
    {"config",       -2, kNoRows,                                           kNoKeys, nullptr,
     {"About the settings.", "2.0.0", "O(1)"}, kConfigCommands},
    {"debug",        -2, kOperator,                                         kNoKeys, admin::Debug,
     {"For tests.", "1.0.0", "that of the subcommand"}},
    {"info",         -1, kAlways | kDangerous,                              kNoKeys, admin::Info,
     {"Return figures of the server.", "1.0.0", "O(1)", "[section]..."}},
    {"lastsave",     1,  kAlways | kFast | kAdmin | kDangerous,             kNoKeys, admin::LastSave,
     {"Return when everything was made durable.", "1.0.0", "O(1)"}},
    {"latency",      -2, kNoRows,                                           kNoKeys, nullptr,
     {"About slow moments.", "2.8.13", "O(1)"}, kLatencyCommands},
    {"lolwut",       -1, kReadOnly | kFast | kNoRows,                       kNoKeys, admin::Lolwut,
     {"Draw a mayfly.", "5.0.0", "O(1)", "[VERSION version:int]"}},
    {"memory",       -2, kNoRows,                                           kNoKeys, nullptr,
     {"About memory.", "4.0.0", "O(1)"}, kMemoryCommands},
    {"module",       -2, kNoRows,                                           kNoKeys, nullptr,
     {"About modules, which are not offered.", "4.0.0", "O(1)"}, kModuleCommands},
    {"monitor",      1,  kOperator | kStreams,                              kNoKeys, admin::Monitor,
     {"Show every command that runs.", "1.0.0", "O(1)"}},
    {"psync",        -3, kOperator | kNoMulti | kStreams,                   kNoKeys, admin::PSync,
     {"Ask for the stream of changes, as a follower does.", "2.8.0", "O(1)", "replicationid offset:int"}},
    {"replconf",     -1, kOperator | kLoading | kStale | kAllowBusy,        kNoKeys, admin::ReplConf,
     {"Tell what a follower is, and how far.", "3.0.0", "O(1)"}},
    {"replicaof",    3,  kOperator | kNoMulti,                              kNoKeys, admin::ReplicaOf,
     {"Follow another server; NO ONE: stop that.", "5.0.0", "O(n) in the bytes of the dataset",
      "args=(host-port=(host port:int) | no-one=(NO ONE))"}},
    {"role",         1,  kAlways | kNoScript | kFast | kAdmin | kDangerous, kNoKeys, admin::Role,
     {"Return the part in replication: master, or slave of the server that is followed.", "2.8.12", "O(1)"}},
    {"save",         1,  kOperator | kNoMulti,                              kNoKeys, admin::Save,
     {"Make everything durable.", "1.0.0", "O(n) in the bytes that are not on disk yet"}},
    {"shutdown",     -1, kOperator | kNoMulti | kAllowBusy | kSavesFirst,   kNoKeys, admin::ShutdownCommand,
     {"Stop the server.", "1.0.0", "O(n) in the bytes that are not on disk yet",
      "nosave_save=[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]"}},
    {"slaveof",      3,  kOperator | kNoMulti,                              kNoKeys, admin::ReplicaOf,
     {"Follow another server; NO ONE: stop that.", "1.0.0", "O(n) in the bytes of the dataset",
      "args=(host-port=(host port:int) | no-one=(NO ONE))"}},
    {"slowlog",      -2, kNoRows,                                           kNoKeys, nullptr,
     {"About slow commands.", "2.2.12", "O(1)"}, kSlowlogCommands},
    {"sync",         1,  kOperator | kNoMulti | kStreams,                   kNoKeys, admin::Sync,
     {"Ask for a full copy and the stream of changes.", "1.0.0", "O(1)"}},
    {"time",         1,  kAlways | kFast,                                   kNoKeys, admin::Time,
     {"Return the time.", "2.6.0", "O(1)"}},
};

constexpr CommandSpec kWholeDatabaseCommands[] = {
    {"flushall", -1, kWrite | kEverything | kDangerous,         kNoKeys, admin::FlushAll,
     {"Empty all databases.", "1.0.0", "O(1); the rows are removed later", "async=[ASYNC | SYNC]"}},
    {"flushdb",  -1, kWrite | kEverything | kDangerous,         kNoKeys, admin::FlushDb,
     {"Empty the selected database.", "1.0.0", "O(1); the rows are removed later", "async=[ASYNC | SYNC]"}},
    {"swapdb",   3,  kWrite | kFast | kEverything | kDangerous, kNoKeys, admin::SwapDb,
     {"Exchange the numbers of two databases.", "4.0.0", "O(n) in the clients that watch or wait for keys of either",
      "index1:int index2:int"}},
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
