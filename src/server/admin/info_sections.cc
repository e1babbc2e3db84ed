#include "server/admin/info_sections.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "server/admin/info_counters.h"
#include "server/admin/memory_figures.h"
#include "server/admin/redis_version.h"
#include "server/command/arguments.h"
#include "server/session/session.h"

namespace mayfly::server::admin {
namespace {

constexpr double kPercent = 100;

std::string HumanBytes(std::uint64_t bytes) {
  constexpr std::array<char, 5> kUnits = {'B', 'K', 'M', 'G', 'T'};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{}B", bytes) : fmt::format("{:.2f}{}", value, kUnits[unit]);
}

double Ratio(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

std::int64_t Difference(std::uint64_t more, std::uint64_t less) {
  return static_cast<std::int64_t>(more) - static_cast<std::int64_t>(less);
}

std::string_view Supervisor(const Config& config) {
  const std::string supervised = config.Text(Setting::kSupervised);
  const bool asked = supervised == "auto" && std::getenv("NOTIFY_SOCKET") != nullptr;
  return supervised == "systemd" || asked ? "systemd" : "no";
}

std::string ServerSection(InfoSource& source) {
  Server& server = source.server();
  utsname system{};
  static_cast<void>(::uname(&system));
  const auto up =
      std::chrono::duration_cast<std::chrono::seconds>(server.Steady() - server.started());
  constexpr std::int64_t kSecondsPerDay = 86400;
  return fmt::format(
      "redis_version:{}\r\nredis_git_sha1:00000000\r\nredis_git_dirty:0\r\nredis_build_id:0\r\n"
      "redis_mode:{}\r\nmayfly_version:{}\r\nos:{} {} {}\r\narch_bits:64\r\n"
      "monotonic_clock:POSIX clock_gettime\r\nmultiplexing_api:epoll\r\ngcc_version:{}.{}.{}\r\n"
      "process_id:{}\r\nprocess_supervised:{}\r\nrun_id:{}\r\ntcp_port:{}\r\n"
      "server_time_usec:{}\r\nuptime_in_seconds:{}\r\nuptime_in_days:{}\r\nhz:10\r\n"
      "configured_hz:10\r\nexecutable:mayfly\r\nconfig_file:{}\r\nio_threads_active:0\r\n",
      kRedisVersion, server.cluster() != nullptr ? "cluster" : "standalone", server.version(),
      system.sysname, system.release, system.machine, __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__,
      ::getpid(), Supervisor(server.config()), server.run_id(), server.port.load(),
      ToMs(server.clock().Now()) * 1000, up.count(), up.count() / kSecondsPerDay,
      server.config().file());
}

std::string ClientsSection(InfoSource& source) {
  Server& server = source.server();
  std::size_t blocked = 0;
  std::size_t input_max = 0;
  std::size_t output_max = 0;
  for (const auto& session : server.clients().All()) {
    const ClientInfo info = session->info();
    blocked += info.blocked ? 1 : 0;
    input_max = std::max(input_max, info.buffers.input);
    output_max = std::max(output_max, info.buffers.output);
  }
  return fmt::format(
      "connected_clients:{}\r\ncluster_connections:0\r\nmaxclients:{}\r\n"
      "client_recent_max_input_buffer:{}\r\nclient_recent_max_output_buffer:{}\r\n"
      "blocked_clients:{}\r\ntracking_clients:{}\r\nclients_in_timeout_table:{}\r\n",
      server.clients().size(), server.config().Number(Setting::kMaxClients), input_max, output_max,
      blocked, server.tracking().figures().clients, blocked);
}

// Of the process, and of its two steps: what the heap holds beyond what is in use, and what the
// process holds beyond the heap.
std::string Fragmentation(const MemoryFigures& memory) {
  const auto line = [](std::string_view ratio, std::string_view bytes, std::uint64_t more,
                       std::uint64_t less) {
    return fmt::format("{}:{:.2f}\r\n{}:{}\r\n", ratio, Ratio(more, less), bytes,
                       Difference(more, less));
  };
  return line("mem_fragmentation_ratio", "mem_fragmentation_bytes", memory.resident_bytes,
              memory.allocated_bytes) +
         line("allocator_frag_ratio", "allocator_frag_bytes", memory.active_bytes,
              memory.allocated_bytes) +
         line("allocator_rss_ratio", "allocator_rss_bytes", memory.resident_bytes,
              memory.active_bytes);
}

std::string MemorySection(InfoSource& source) {
  Server& server = source.server();
  const MemoryFigures memory = ReadMemoryFigures();
  const ScriptFigures scripts = server.script_figures();
  const Statistics* statistics = source.statistics();
  const std::uint64_t engine = statistics != nullptr ? statistics->memory_bytes : 0;
  // With a limit, what is compared with it, because operators watch the ratio of the two.
  const std::uint64_t used = server.data_limit().on()
                                 ? static_cast<std::uint64_t>(server.data_limit().bytes())
                                 : memory.allocated_bytes;
  const std::uint64_t peak = std::max(used, memory.peak_bytes);
  const auto memory_max = static_cast<std::uint64_t>(server.config().Number(Setting::kMaxMemory));
  std::uint64_t pending = 0;
  if (statistics != nullptr) {
    for (const KeyspaceStatistics& keyspace : statistics->keyspaces) pending += keyspace.orphans;
  }
  return fmt::format(
             "used_memory:{0}\r\nused_memory_human:{1}\r\nused_memory_rss:{2}\r\n"
             "used_memory_rss_human:{3}\r\nused_memory_peak:{4}\r\nused_memory_peak_human:{5}\r\n"
             "used_memory_peak_perc:{6:.2f}%\r\nused_memory_overhead:0\r\nused_memory_startup:0\r\n"
             "used_memory_dataset:{7}\r\nused_memory_dataset_perc:{8:.2f}%\r\n",
             used, HumanBytes(used), memory.resident_bytes, HumanBytes(memory.resident_bytes), peak,
             HumanBytes(peak), kPercent * Ratio(used, peak), engine,
             kPercent * Ratio(engine, memory.allocated_bytes)) +
         fmt::format(
             "used_memory_vm_eval:{0}\r\nused_memory_lua:{0}\r\nused_memory_lua_human:{1}\r\n"
             "used_memory_scripts_eval:{2}\r\nused_memory_scripts:{2}\r\n"
             "used_memory_scripts_human:{3}\r\nnumber_of_cached_scripts:{4}\r\n"
             "number_of_functions:{5}\r\nnumber_of_libraries:{6}\r\nused_memory_vm_functions:0\r\n"
             "used_memory_functions:0\r\nused_memory_vm_total:{0}\r\n",
             scripts.lua_bytes, HumanBytes(scripts.lua_bytes), scripts.kept_bytes,
             HumanBytes(scripts.kept_bytes), scripts.kept, scripts.functions, scripts.libraries) +
         fmt::format(
             "total_system_memory:{0}\r\ntotal_system_memory_human:{1}\r\nmaxmemory:{2}\r\n"
             "maxmemory_human:{3}\r\nmaxmemory_policy:{10}\r\nallocator_allocated:{4}\r\n"
             "allocator_active:{5}\r\nallocator_resident:{6}\r\nmem_allocator:libc\r\n"
             "mem_not_counted_for_evict:0\r\nmem_clients_slaves:0\r\nmem_clients_normal:{9}\r\n"
             "mem_replication_backlog:0\r\nmem_total_replication_buffers:0\r\n"
             "mem_cluster_links:0\r\nmem_aof_buffer:0\r\nactive_defrag_running:0\r\n"
             "lazyfree_pending_objects:{7}\r\nlazyfreed_objects:{8}\r\n",
             memory.system_bytes, HumanBytes(memory.system_bytes), memory_max,
             HumanBytes(memory_max), memory.allocated_bytes, memory.active_bytes,
             memory.resident_bytes, pending,
             statistics != nullptr ? statistics->removed_collections : 0, ClientsMemory(server),
             server.config().Text(Setting::kMaxMemoryPolicy)) +
         Fragmentation(memory);
}

std::string PersistenceSection(InfoSource& source) {
  Server& server = source.server();
  const Statistics* statistics = source.statistics();
  const bool sound =
      statistics != nullptr && statistics->damage_seen == 0 && !statistics->disk_full;
  const std::string_view status = server.last_save_ok && sound ? "ok" : "err";
  const Backups& backups = server.backups();
  return fmt::format(
      "loading:0\r\nasync_loading:0\r\nrdb_changes_since_last_save:{}\r\n"
      "rdb_bgsave_in_progress:{}\r\nrdb_last_save_time:{}\r\nrdb_last_bgsave_status:{}\r\n"
      "rdb_last_bgsave_time_sec:{}\r\nrdb_current_bgsave_time_sec:-1\r\nrdb_saves:{}\r\n"
      "aof_enabled:1\r\naof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r\n"
      "aof_last_rewrite_time_sec:-1\r\naof_current_rewrite_time_sec:-1\r\n"
      "aof_last_bgrewrite_status:ok\r\naof_last_write_status:{}\r\n"
      // Nothing forks, and a commit is in the system's hands before its reply.
      "rdb_last_cow_size:0\r\naof_last_cow_size:0\r\nmodule_fork_in_progress:0\r\n"
      "module_fork_last_cow_size:0\r\ncurrent_cow_size:0\r\ncurrent_fork_perc:0.00\r\n"
      "rdb_last_load_keys_expired:0\r\nrdb_last_load_keys_loaded:0\r\naof_pending_rewrite:0\r\n"
      "aof_buffer_length:0\r\n",
      server.changes_since_save.load(), backups.is_running() ? 1 : 0,
      std::max(server.last_asked_save_ms.load(), backups.last_ms()) / 1000,
      backups.last_ok() ? status : "err", backups.last_took_seconds(), backups.completed(), status);
}

// The fields of a server that follows; those behind the last of Redis' are our own.
std::string FollowLines(Server& server, const FollowFigures& figures) {
  const auto seconds = [&](const std::optional<SteadyTime>& since) {
    return since
               ? std::chrono::duration_cast<std::chrono::seconds>(server.Steady() - *since).count()
               : -1;
  };
  const bool up = figures.state == LinkState::kConnected;
  std::string lines = fmt::format(
      "role:slave\r\nmaster_host:{}\r\nmaster_port:{}\r\nmaster_link_status:{}\r\n"
      "master_last_io_seconds_ago:{}\r\nmaster_sync_in_progress:{}\r\n"
      "slave_read_repl_offset:{}\r\nslave_repl_offset:{}\r\n",
      figures.host, figures.port, up ? "up" : "down", seconds(figures.last_io),
      figures.state == LinkState::kCopying ? 1 : 0, figures.received, figures.applied);
  if (figures.state == LinkState::kCopying) {
    lines += fmt::format("master_sync_total_bytes:{}\r\nmaster_sync_read_bytes:{}\r\n",
                         figures.copy_bytes_total, figures.copy_bytes);
  }
  if (!up) {
    lines += fmt::format("master_link_down_since_seconds:{}\r\n", seconds(figures.down_since));
  }
  return lines + fmt::format(
                     "slave_priority:100\r\nslave_read_only:{}\r\nreplica_announced:1\r\n"
                     "follow_lag_bytes:{}\r\nfollow_full_copies:{}\r\nfollow_resumptions:{}\r\n"
                     "follow_left_out:{}\r\nfollow_failed_commands:{}\r\nfollow_last_failure:{}\r\n"
                     "follow_last_error:{}\r\n",
                     server.refuses_writes() ? 1 : 0, figures.received - figures.applied,
                     figures.copies, figures.resumptions, figures.left_out, figures.failed,
                     figures.last_failure, figures.last_error);
}

// What followers read; the same for a server that follows another one itself.
std::string LeadLines(Server& server) {
  const LeadFigures figures =
      server.leading() != nullptr ? server.leading()->figures() : LeadFigures();
  std::string lines = fmt::format("connected_slaves:{}\r\n", figures.followers.size());
  std::size_t number = 0;
  for (const FollowerFigures& one : figures.followers) {
    lines += fmt::format("slave{}:ip={},port={},state={},offset={},lag={}\r\n", number++,
                         one.address, one.port, one.state, one.acknowledged, one.lag_seconds);
  }
  if (server.config().Number(Setting::kMinReplicasToWrite) > 0 && !server.follows) {
    lines += fmt::format("min_slaves_good_slaves:{}\r\n", server.close_followers.load());
  }
  return lines;
}

std::string BacklogLines(Server& server) {
  const LeadFigures figures =
      server.leading() != nullptr ? server.leading()->figures() : LeadFigures();
  return fmt::format(
      "repl_backlog_active:{}\r\nrepl_backlog_size:{}\r\nrepl_backlog_first_byte_offset:{}\r\n"
      "repl_backlog_histlen:{}\r\n",
      figures.on ? 1 : 0, server.config().Number(Setting::kReplBacklogSize),
      figures.on ? figures.first_offset + 1 : 0, figures.backlog_bytes);
}

std::string ReplicationSection(InfoSource& source) {
  Server& server = source.server();
  if (server.follows && server.following() != nullptr) {
    const FollowFigures figures = server.following()->figures();
    return FollowLines(server, figures) + LeadLines(server) +
           fmt::format(
               "master_failover_state:no-failover\r\nmaster_replid:{}\r\nmaster_replid2:{}\r\n"
               "master_repl_offset:{}\r\nsecond_repl_offset:-1\r\n",
               figures.replication_id.empty() ? std::string(40, '0') : figures.replication_id,
               std::string(40, '0'), figures.applied) +
           BacklogLines(server);
  }
  const Feed::Figures stream = server.feed().figures();
  return "role:master\r\n" + LeadLines(server) +
         fmt::format(
             "master_failover_state:no-failover\r\nmaster_replid:{}\r\nmaster_replid2:{}\r\n"
             "master_repl_offset:{}\r\nsecond_repl_offset:-1\r\n",
             stream.id.empty() ? server.run_id() : stream.id, std::string(40, '0'), stream.offset) +
         BacklogLines(server);
}

std::string CpuSection(InfoSource& /*source*/) {
  const auto seconds = [](const timeval& time) {
    return fmt::format("{}.{:06}", time.tv_sec, time.tv_usec);
  };
  rusage self{};
  rusage thread{};
  ::getrusage(RUSAGE_SELF, &self);
  ::getrusage(RUSAGE_THREAD, &thread);
  return fmt::format(
      "used_cpu_sys:{}\r\nused_cpu_user:{}\r\nused_cpu_sys_children:0.000000\r\n"
      "used_cpu_user_children:0.000000\r\nused_cpu_sys_main_thread:{}\r\n"
      "used_cpu_user_main_thread:{}\r\n",
      seconds(self.ru_stime), seconds(self.ru_utime), seconds(thread.ru_stime),
      seconds(thread.ru_utime));
}

std::string ModulesSection(InfoSource& /*source*/) { return ""; }
std::string ClusterSection(InfoSource& source) {
  ClusterSide* const cluster = source.server().cluster();
  if (cluster == nullptr) return "cluster_enabled:0\r\n";
  ShardDirectory& directory = cluster->directory();
  const ClusterHealth health = directory.health();
  // Not in CLUSTER INFO, whose clients take a line for two words with a colon between them.
  const std::string advice = health.clocks ? ClocksAdvice(*health.clocks) : "";
  return fmt::format("cluster_enabled:1\r\nmayfly_shards:{}\r\nmayfly_shards_here:{}\r\n",
                     directory.shards(), directory.Here().size()) +
         HealthText(health) +
         (advice.empty() ? "" : fmt::format("mayfly_clocks_advice:{}\r\n", advice));
}

struct Section {
  std::string_view name;
  std::string_view title;
  std::string (*text)(InfoSource& source);
  bool by_default;
};

// clang-format off
constexpr Section kSections[] = {
    {"server",       "Server",       ServerSection,       true},
    {"clients",      "Clients",      ClientsSection,      true},
    {"memory",       "Memory",       MemorySection,       true},
    {"persistence",  "Persistence",  PersistenceSection,  true},
    {"stats",        "Stats",        StatsSection,        true},
    {"replication",  "Replication",  ReplicationSection,  true},
    {"cpu",          "CPU",          CpuSection,          true},
    {"modules",      "Modules",      ModulesSection,      true},
    {"commandstats", "Commandstats", CommandStatsSection, false},
    {"errorstats",   "Errorstats",   ErrorStatsSection,   true},
    {"latencystats", "Latencystats", LatencyStatsSection, false},
    {"cluster",      "Cluster",      ClusterSection,      true},
    {"keyspace",     "Keyspace",     KeyspaceSection,     true},
    {"mayfly",       "Mayfly",       MayflySection,       true},
};
// clang-format on

bool Wanted(const Section& section, const std::vector<std::string>& names) {
  if (names.empty()) return section.by_default;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (IsWord(name, "all") || IsWord(name, "everything")) return true;
    if (IsWord(name, "default")) return section.by_default;
    return IsWord(name, section.name);
  });
}

}  // namespace

std::string InfoText(Server& server, const std::vector<std::string>& sections) {
  std::string text;
  InfoSource source(server);
  for (const Section& section : kSections) {
    if (!Wanted(section, sections)) continue;
    text += fmt::format("{}# {}\r\n{}", text.empty() ? "" : "\r\n", section.title,
                        section.text(source));
  }
  return text;
}

}  // namespace mayfly::server::admin
