#include "apps/mayfly/serve/serve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "apps/mayfly/serve/activation.h"
#include "apps/mayfly/serve/cluster_part.h"
#include "apps/mayfly/serve/process.h"
#include "apps/mayfly/serve/served_tables.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "base/line_logger.h"
#include "base/log.h"
#include "console/console.h"
#include "core/upkeep/watched_upkeep.h"
#include "crypto/password_file.h"
#include "dynamo/service.h"
#include "http/server.h"
#include "mayfly/database.h"
#include "server/assembly/assembly.h"
#include "server/command/core_transaction_source.h"
#include "server/config/config_file.h"
#include "server/config/fsync_mode.h"
#include "server/follow/follower.h"
#include "server/lead/leader.h"
#include "server/net/network.h"
#include "server/session/server.h"
#include "server/stats/doubling.h"
#include "server/stats/request_statistics.h"
#include "tables/protocol_tables.h"

namespace mayfly::app {
namespace {

using server::Config;
using server::Setting;

// How long, and how often, a directory is tried that another process has open.
constexpr Millis kOpenPatience{2000};
constexpr Millis kOpenPause{20};

StorageEngine EngineOf(const std::string& name) {
  if (name == "rocks") return StorageEngine::kRocks;
  return name == "memory-first" ? StorageEngine::kMemoryFirst : StorageEngine::kAsFound;
}

MemoryProfile ProfileOf(const std::string& name) {
  if (name == "tiny") return MemoryProfile::kTiny;
  return name == "default" ? MemoryProfile::kDefault : MemoryProfile::kServer;
}

// Maps Redis' four levels and "nothing" to our four.
void SetLogLevel(LevelledLogger& logger, const std::string& name) {
  if (name == "debug" || name == "verbose") {
    logger.SetLevel(LogLevel::kDebug);
  } else {
    logger.SetLevel(name == "notice" ? LogLevel::kInfo : LogLevel::kWarning, name == "nothing");
  }
}

using PassedSockets = std::vector<server::PassedSocket>;

// A passed socket listens where its owner chose, whatever http-bind says.
Result<bool> HttpIsOpenToStrangers(const Config& config, const PassedSockets& passed) {
  for (const server::PassedSocket& socket : passed) {
    if (socket.use != server::PassedSocket::Use::kHttp) continue;
    MAYFLY_TRY(const server::ListeningAddress address, server::AddressOf(socket));
    return !address.local;
  }
  return !http::IsLoopback(config.Text(Setting::kHttpBind));
}

Result<dynamo::ServiceOptions> DynamoOptions(const Config& config, const PassedSockets& passed) {
  MAYFLY_TRY(dynamo::Secrets secrets, dynamo::ReadSecrets(config.Text(Setting::kHttpKeys)));
  MAYFLY_TRY(const bool open_to_strangers, HttpIsOpenToStrangers(config, passed));
  return dynamo::ServiceOptions{.secrets = std::move(secrets),
                                .open_to_strangers = open_to_strangers,
                                .region = config.Text(Setting::kHttpRegion),
                                .origins = config.Text(Setting::kHttpOrigins)};
}

// Empty: the database is not encrypted.
Result<crypto::Secret> PasswordOf(const Config& config) {
  const std::string file = config.Text(Setting::kEncryptionKeyFile);
  return file.empty() ? Result<crypto::Secret>(crypto::Secret()) : crypto::ReadPasswordFile(file);
}

// For TTL.RESTORE. The new database has the password of the one that is served, as the backup has.
Result<RestoreReport> RestoreInto(const Config& config, const Clock& clock, Logger& logger,
                                  const std::string& file, const std::string& folder,
                                  RestoreMode mode, const core::Progress& progress) {
  MAYFLY_TRY(const crypto::Secret password, PasswordOf(config));
  MAYFLY_TRY(const auto database, Database::Open({.directory = folder,
                                                  .password = password.view(),
                                                  .allow_any_instant = true,
                                                  .clock = &clock,
                                                  .logger = &logger}));
  MAYFLY_TRY(
      const RestoreReport report,
      core::RestoreWatched(*database, file, {.mode = mode, .password = password.view()}, progress));
  MAYFLY_RETURN_IF_ERROR(database->Close());
  return report;
}

Result<std::unique_ptr<Database>> OpenDatabase(const Config& config, const Clock& clock,
                                               Logger& logger) {
  MAYFLY_TRY(const crypto::Secret password, PasswordOf(config));
  if (config.Number(Setting::kDiskReserve) == 0 && !config.Text(Setting::kDir).empty()) {
    Log(logger, LogLevel::kWarning,
        "disk-reserve is 0: when the disk is full, deletes and purges are refused, too, until "
        "something else makes room");
  }
  const DatabaseOptions options{
      .directory = config.Text(Setting::kDir),
      .password = password.view(),
      .memory = ProfileOf(config.Text(Setting::kMemoryProfile)),
      .engine = EngineOf(config.Text(Setting::kEngine)),
      .memory_rows_bytes_max = static_cast<std::uint64_t>(config.Number(Setting::kMemoryRows)),
      .disk_reserve_bytes = static_cast<std::uint64_t>(config.Number(Setting::kDiskReserve)),
      .allow_any_instant = true,
      .clock_jump_max = Millis(config.Number(Setting::kClockJumpMax)),
      .clock = &clock,
      .logger = &logger};
  // A process that was killed holds the directory until the system has taken its memory back.
  const Clock& real = SystemClock::Process();
  const SteadyTime end = real.Steady() + kOpenPatience;
  auto database = Database::Open(options);
  while (!database.has_value() && database.error().code() == StatusCode::kBusy &&
         real.Steady() < end) {
    Waker().WaitFor(kOpenPause);
    database = Database::Open(options);
  }
  return database;
}

// What DynamoDB's API asks of the rest: when writes are durable, and where requests are counted.
void Connect(dynamo::ServiceOptions& options, Database& database, Config& config,
             server::RequestStatistics& requests) {
  options.make_durable = [&database, &fsync = config.Watched(Setting::kAppendFsync)] {
    return server::PersistBeforeReply(database, fsync);
  };
  options.real_clock = &SystemClock::Process();
  options.on_answered = [&requests](std::string_view operation, std::chrono::nanoseconds took,
                                    int status) {
    constexpr int kFirstError = 400;
    requests.Add(operation.empty() ? "none" : operation, took, status >= kFirstError);
  };
}

void Greet(const Config& config, const server::Network& network, const std::string& version) {
  const bool on_cluster = !config.Text(Setting::kCluster).empty();
  const std::string directory = config.Text(Setting::kDir);
  fmt::print("{} serves {}\n", version,
             on_cluster
                 ? fmt::format("the cluster's database {}", config.Text(Setting::kClusterName))
             : directory.empty() ? "a database in memory, gone when it stops"
                                 : directory);
  fmt::print("  Redis protocol: {}\n", fmt::join(network.addresses(), ", "));
  if (network.http_port() != 0) {
    const std::string& address = network.http_address();
    const bool is_v6 = address.find(':') != std::string::npos;
    const std::string at =
        fmt::format("{}://{}:{}", config.IsOn(Setting::kHttpTls) ? "https" : "http",
                    is_v6 ? "[" + address + "]" : address, network.http_port());
    fmt::print("  DynamoDB's API: {}\n", at);
    fmt::print("  Metrics: {}/metrics\n", at);
    if (config.IsOn(Setting::kConsole) && !on_cluster) fmt::print("  Console: {}/console\n", at);
  }
  if (network.port() != 0) {
    fmt::print("Try: redis-cli -p {} SET greeting hello EX 60\n", network.port());
  }
  fmt::print("Ctrl-C stops it.\n");
  std::fflush(stdout);
}

bool IsSupervised(const Config& config) {
  const std::string supervised = config.Text(Setting::kSupervised);
  return supervised == "systemd" || (supervised == "auto" && SupervisorWaits());
}

// Notifies systemd, if it supervises. The text behind STATUS= is what `systemctl status` shows.
void Notify(const Config& config, std::string_view state, Logger& logger) {
  if (!IsSupervised(config)) return;
  const Status sent = NotifySupervisor(state);
  if (!sent.ok()) Log(logger, LogLevel::kWarning, "cannot tell systemd: {}", sent.message());
}

// Lines that cannot be written are lost later; at the start the operator can still fix it.
Status CheckLogFile(const std::string& path) {
  if (path.empty() || std::ofstream(path, std::ios::app)) return {};
  return Status::IoError(fmt::format("cannot open the logfile {}: {}", path, std::strerror(errno)));
}

void WarnAndFollow(Config& config, const Status& pid_file, LevelledLogger& logger) {
  if (!pid_file.ok()) Log(logger, LogLevel::kWarning, "{}", pid_file.message());
  for (const auto& [name, reason] : config.WithoutEffect()) {
    Log(logger, LogLevel::kWarning, "setting '{}' has no effect here: {}", name, reason);
  }
  config.OnChange(Setting::kLogLevel, [&logger](const server::SettingValue& value) {
    SetLogLevel(logger, value.text);
    return Status();
  });
}

// Null if the settings want none. Reports for how long purging has had a backlog; clients do not
// wait for it.
Result<std::unique_ptr<Reaper>> StartReaper(Database& database, server::Server& shared) {
  if (!shared.config().IsOn(Setting::kReaper)) return std::unique_ptr<Reaper>();
  const auto note = [&shared, doubling = server::Doubling()](auto purging) mutable {
    const Millis least(shared.config().Number(Setting::kLatencyMonitorThreshold));
    if (doubling.IsNews(purging, least)) shared.NoteLatency("expire-cycle", purging);
  };
  return database.StartReaper({.on_progress = note});
}

Status Close(Database& database, const Config& config, Logger& logger) {
  Notify(config, "STATUS=Closing the database", logger);
  const Status closed = database.Close();
  if (closed.ok()) {
    const bool on_cluster = !config.Text(Setting::kCluster).empty();
    const bool in_memory = config.Text(Setting::kDir).empty() && !on_cluster;
    Log(logger, LogLevel::kInfo, "stopped; {}",
        on_cluster  ? "what was acknowledged is in the cluster"
        : in_memory ? "the database was in memory, and is gone"
                    : "everything is on disk");
  }
  return closed;
}

// For TTL.TABLE, whose users ACL has let through.
dynamo::ServiceOptions BehindCommands(dynamo::ServiceOptions options) {
  options.secrets = {};
  options.open_to_strangers = false;
  return options;
}

// Serves until a signal or SHUTDOWN stops it.
Status RunNetwork(const ServeFlags& flags, const std::string& version, const Config& config,
                  server::Network& network, server::Follower& follower, Logger& logger) {
  const bool is_private = flags.when_ready != nullptr;
  if (is_private) {
    flags.when_ready(network);
  } else {
    Greet(config, network, version);
  }
  if (config.Text(Setting::kCluster).empty()) {
    Log(logger, LogLevel::kInfo, "ready on port {}", network.port());
  } else {
    Log(logger, LogLevel::kInfo, "listens on port {}; ready when its first shards are served",
        network.port());
  }
  Notify(config, fmt::format("READY=1\nSTATUS=Serving {}", fmt::join(network.addresses(), ", ")),
         logger);
  // The network hears of signals since it was made. One that came before stops it as well.
  if (!is_private && TakeInterrupt()) network.Stop();
  if (!is_private) follower.Start();
  const Status served = network.Run();
  follower.Stop();
  return served;
}

// What everything stands on.
struct Base {
  const ServeFlags& flags;
  const std::string& version;
  Config& config;
  Logger& logger;
  ManualClock& manual;
  const Clock& clock;
  const PassedSockets& passed;
  Database& database;
  server::Assembly& front;
  ClusterPart* cluster;  // Null: a server alone.
};

server::ServerParts PartsOf(const Base& base, server::TransactionSource& transactions,
                            ServedTables& tables, cluster::TablesPart* shard_tables) {
  server::ServerParts parts{
      .database = base.database,
      .transactions = transactions,
      .config = base.config,
      .clock = base.clock,
      .real_clock = SystemClock::Process(),
      .logger = base.logger,
      .table = base.front.table(),
      .authorizer = &base.front.authorizer(),
      .publisher = &base.front,
      .extensions = &base.front,
      .restore =
          [base](const auto& file, const auto& folder, auto mode, const auto& progress) {
            return RestoreInto(base.config, base.clock, base.logger, file, folder, mode, progress);
          },
      .manual_clock = base.flags.manual_clock ? &base.manual : nullptr,
      .version = base.version.substr(base.version.find(' ') + 1)};
  if (base.cluster != nullptr) {
    parts.shards = &base.cluster->shards();
    parts.peers = &base.cluster->peers();
    parts.table_shards = &shard_tables->shards();
  } else {
    parts.table_policies = &tables;
    parts.table_operations = &tables;
  }
  return parts;
}

Status ServeDatabase(const Base& base, dynamo::ServiceOptions dynamo_options) {
  ClusterPart* const cluster = base.cluster;
  server::CoreTransactionSource transactions(base.database);
  MAYFLY_TRY(const auto tables, tables::ProtocolTables::Open(base.database));
  server::RequestStatistics requests;
  Connect(dynamo_options, base.database, base.config, requests);
  std::unique_ptr<cluster::TablesPart> shard_tables;
  if (cluster != nullptr) {
    shard_tables = cluster->NewTables(base.clock, dynamo_options.region);
    dynamo_options.runner = &shard_tables->runner();
  }
  dynamo::Service behind_commands(*tables, base.clock, base.logger, BehindCommands(dynamo_options));
  dynamo::Service dynamo(*tables, base.clock, base.logger, std::move(dynamo_options));
  ServedTables served_tables(*tables, behind_commands);
  MAYFLY_TRY(const auto shared,
             server::Server::Open(PartsOf(base, transactions, served_tables, shard_tables.get())));
  MAYFLY_RETURN_IF_ERROR(base.front.LoadUsers(base.config));
  server::Leader leader(*shared);
  MAYFLY_TRY(const auto follower, server::Follower::Open(*shared));
  server::Network network(
      *shared, {.catch_signals = base.flags.when_ready == nullptr,
                .sockets = base.passed,
                .requests = &requests,
                .waiting_threads = cluster == nullptr ? nullptr : &cluster->waiting_threads(),
                .on_stop = [&base] {
                  Notify(base.config, "STOPPING=1\nSTATUS=Saying goodbye to clients", base.logger);
                  // While clients are still served, so that none finds a shard without an owner.
                  if (base.cluster != nullptr) base.cluster->Leave();
                }});
  console::Console console(*shared);
  dynamo.Mount(network.router());
  if (cluster == nullptr) console.Mount(network.router());  // It knows of no shards.
  MAYFLY_RETURN_IF_ERROR(network.Open());
  if (cluster != nullptr) {
    MAYFLY_RETURN_IF_ERROR(cluster->Join(network.port(), [&network] { network.Stop(); }));
    shard_tables->Start();
  }
  MAYFLY_TRY(const auto reaper, StartReaper(base.database, *shared));
  MAYFLY_TRY(const auto table_reaper, tables->StartReaper({.reap = false}));
  const Status served =
      RunNetwork(base.flags, base.version, base.config, network, *follower, base.logger);
  leader.Stop();
  if (cluster != nullptr) MAYFLY_RETURN_IF_ERROR(cluster->refused());
  return served;
}

Status Serve(const ServeFlags& flags, const std::string& version, Config& config,
             LevelledLogger& logger) {
  const PidFile pid_file(config.Text(Setting::kPidFile));
  WarnAndFollow(config, pid_file.status(), logger);
  MAYFLY_TRY(const PassedSockets passed, TakePassedSockets());
  Notify(config, "STATUS=Opening the database", logger);
  ManualClock manual(SystemClock::Process().Now());
  const Clock& clock =
      flags.manual_clock ? static_cast<const Clock&>(manual) : SystemClock::Process();

  MAYFLY_TRY(dynamo::ServiceOptions dynamo_options, DynamoOptions(config, passed));
  MAYFLY_TRY(const auto cluster, ClusterPart::Open(config, flags.manual_clock, logger));
  MAYFLY_TRY(const auto database, cluster == nullptr ? OpenDatabase(config, clock, logger)
                                                     : Database::Open({.logger = &logger}));
  server::Assembly front(clock, static_cast<std::size_t>(config.Number(Setting::kLuaMemoryMax)));
  front.Follow(config);
  MAYFLY_RETURN_IF_ERROR(front.Rename(config));
  MAYFLY_RETURN_IF_ERROR(ServeDatabase({.flags = flags,
                                        .version = version,
                                        .config = config,
                                        .logger = logger,
                                        .manual = manual,
                                        .clock = clock,
                                        .passed = passed,
                                        .database = *database,
                                        .front = front,
                                        .cluster = cluster.get()},
                                       std::move(dynamo_options)));
  return Close(*database, config, logger);
}

}  // namespace

Status LoadSettings(const ServeFlags& flags, Config& config) {
  if (!flags.config_file.empty()) {
    MAYFLY_RETURN_IF_ERROR(server::LoadConfigFile(flags.config_file, config));
  }
  for (const auto& [name, text] : flags.settings) {
    MAYFLY_RETURN_IF_ERROR(config.SetAtStart(name, text));
  }
  return {};
}

Status RunServe(const ServeFlags& flags, const std::string& version, Config& config) {
  MAYFLY_RETURN_IF_ERROR(CheckLogFile(config.Text(Setting::kLogFile)));
  if (config.IsOn(Setting::kDaemonize) && !IsSupervised(config)) {
    MAYFLY_RETURN_IF_ERROR(GoToBackground());
  }
  const auto logger = NewLogfmtLogger(LogLevel::kInfo, config.Text(Setting::kLogFile));
  SetLogLevel(*logger, config.Text(Setting::kLogLevel));
  const Status served = Serve(flags, version, config, *logger);
  // With a log file or in the background, standard error may go unseen.
  const bool seen = config.Text(Setting::kLogFile).empty() && !config.IsOn(Setting::kDaemonize);
  if (!served.ok() && !seen) Log(*logger, LogLevel::kError, "{}", served.ToString());
  return served;
}

}  // namespace mayfly::app
