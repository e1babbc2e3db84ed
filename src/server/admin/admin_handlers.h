// admin_handlers.h - the handlers of the admin commands, by the file they are in.
#pragma once

#include "server/command/command.h"
#include "server/session/server.h"
#include "server/session/session.h"

namespace mayfly::server::admin {

inline Session& SessionOf(Call& call) { return *call.host.session(); }
inline Server& ServerOf(Call& call) { return *call.host.server(); }

// connection_commands.cc
Answer Auth(Call& call);
Answer Echo(Call& call);
Answer Hello(Call& call);
void HelloSecrets(std::span<const Bytes> args, std::vector<std::size_t>& positions);
Answer Ping(Call& call);
Answer Quit(Call& call);
Answer Reset(Call& call);
Answer Select(Call& call);

// client_commands.cc, client_kill_command.cc
Answer ClientCaching(Call& call);
Answer ClientGetName(Call& call);
Answer ClientGetRedir(Call& call);
Answer ClientHelp(Call& call);
Answer ClientId(Call& call);
Answer ClientInfoCommand(Call& call);
Answer ClientKill(Call& call);
Answer ClientList(Call& call);
Answer ClientNoEvict(Call& call);
Answer ClientNoTouch(Call& call);
Answer ClientPauseCommand(Call& call);
Answer ClientReply(Call& call);
Answer ClientSetInfo(Call& call);
Answer ClientSetName(Call& call);
Answer ClientTrackingCommand(Call& call);
Answer ClientTrackingInfo(Call& call);
Answer ClientUnblock(Call& call);
Answer ClientUnpause(Call& call);

// transaction_commands.cc
Answer Discard(Call& call);
Answer Exec(Call& call);
Answer Multi(Call& call);
Answer Unwatch(Call& call);
Answer WatchCommand(Call& call);

// command_commands.cc
Answer CommandAll(Call& call);
Answer CommandCount(Call& call);
Answer CommandDocs(Call& call);
Answer CommandGetKeys(Call& call);
Answer CommandGetKeysAndFlags(Call& call);
Answer CommandHelp(Call& call);
Answer CommandInfo(Call& call);
Answer CommandList(Call& call);

// config_commands.cc
Answer ConfigGet(Call& call);
Answer ConfigHelp(Call& call);
Answer ConfigResetStat(Call& call);
Answer ConfigRewrite(Call& call);
Answer ConfigSet(Call& call);
void ConfigSetSecrets(std::span<const Bytes> args, std::vector<std::size_t>& positions);

// info_command.cc
Answer Info(Call& call);

// slowlog_commands.cc
Answer SlowlogGet(Call& call);
Answer SlowlogHelp(Call& call);
Answer SlowlogLen(Call& call);
Answer SlowlogReset(Call& call);

// latency_commands.cc
Answer LatencyDoctor(Call& call);
Answer LatencyGraph(Call& call);
Answer LatencyHelp(Call& call);
Answer LatencyHistogramCommand(Call& call);
Answer LatencyHistory(Call& call);
Answer LatencyLatest(Call& call);
Answer LatencyReset(Call& call);

// flush_commands.cc
Answer FlushAll(Call& call);
Answer FlushDb(Call& call);
Answer SwapDb(Call& call);

// persistence_commands.cc
Answer BgRewriteAof(Call& call);
Answer BgSave(Call& call);
Answer LastSave(Call& call);
Answer Save(Call& call);
Answer ShutdownCommand(Call& call);

// replication_commands.cc
Answer PSync(Call& call);
Answer ReplConf(Call& call);
Answer ReplicaOf(Call& call);
Answer Role(Call& call);
Answer Sync(Call& call);
Answer Wait(Call& call);
Answer WaitAof(Call& call);

// memory_commands.cc
Answer MemoryDoctor(Call& call);
Answer MemoryMallocStats(Call& call);
Answer MemoryPurge(Call& call);
Answer MemoryStats(Call& call);

// module_commands.cc
Answer ModuleHelp(Call& call);
Answer ModuleList(Call& call);

// lolwut_command.cc
Answer Lolwut(Call& call);

// monitor_command.cc
Answer Monitor(Call& call);

// time_command.cc
Answer Time(Call& call);

// debug_commands.cc
Answer Debug(Call& call);

}  // namespace mayfly::server::admin
