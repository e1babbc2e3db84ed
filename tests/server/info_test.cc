// Goal: INFO counts over all threads: hits and misses, and current rates.
// Method: commands of clients on two threads, then lines of INFO.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <utility>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

class Info : public testing::Test {
 protected:
  std::string Line(const std::string& name) {
    const std::string text = client_.Text("INFO stats");
    const std::size_t at = text.find("\r\n" + name + ":");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 3;
    return text.substr(begin, text.find('\r', begin) - begin);
  }
  std::string Reads() { return Line("keyspace_hits") + "/" + Line("keyspace_misses"); }

  FrontServed served_;
  TestClient client_{served_.port()};
  TestClient second_{served_.port()};
};

// What redis_exporter and the dashboards made for it read of Redis 7.0. Left out is what is not
// measured here: expire_cycle_cpu_milliseconds, dump_payload_sanitizations, sizes of an append-only
// file, buffers and threads that are built otherwise.
constexpr const char* kExporterFields =
    "active_defrag_hits active_defrag_key_hits active_defrag_key_misses active_defrag_misses "
    "active_defrag_running allocator_active allocator_allocated allocator_frag_bytes "
    "allocator_frag_ratio allocator_resident allocator_rss_bytes allocator_rss_ratio "
    "aof_buffer_length aof_current_rewrite_time_sec aof_enabled aof_last_bgrewrite_status "
    "aof_last_cow_size aof_last_rewrite_time_sec aof_last_write_status aof_pending_rewrite "
    "aof_rewrite_in_progress aof_rewrite_scheduled async_loading blocked_clients "
    "client_recent_max_input_buffer client_recent_max_output_buffer clients_in_timeout_table "
    "cluster_enabled configured_hz connected_clients connected_slaves "
    "current_active_defrag_time current_cow_size current_eviction_exceeded_time "
    "current_fork_perc evicted_clients evicted_keys expired_keys expired_stale_perc "
    "expired_subkeys expired_time_cap_reached_count hz instantaneous_input_kbps "
    "instantaneous_input_repl_kbps instantaneous_ops_per_sec instantaneous_output_kbps "
    "instantaneous_output_repl_kbps io_threads_active keyspace_hits keyspace_misses "
    "latest_fork_usec lazyfree_pending_objects lazyfreed_objects loading master_repl_offset "
    "master_replid maxclients maxmemory maxmemory_policy mem_allocator mem_aof_buffer "
    "mem_clients_normal mem_clients_slaves mem_cluster_links mem_fragmentation_bytes "
    "mem_fragmentation_ratio mem_not_counted_for_evict mem_replication_backlog "
    "mem_total_replication_buffers migrate_cached_sockets module_fork_in_progress "
    "module_fork_last_cow_size number_of_cached_scripts number_of_functions "
    "number_of_libraries os process_id process_supervised pubsub_channels pubsub_patterns "
    "pubsubshard_channels rdb_bgsave_in_progress rdb_changes_since_last_save "
    "rdb_current_bgsave_time_sec rdb_last_bgsave_status rdb_last_bgsave_time_sec "
    "rdb_last_cow_size rdb_last_load_keys_expired rdb_last_load_keys_loaded "
    "rdb_last_save_time rdb_saves redis_build_id redis_mode redis_version "
    "rejected_connections repl_backlog_active repl_backlog_first_byte_offset "
    "repl_backlog_histlen repl_backlog_size role run_id second_repl_offset "
    "slave_expires_tracked_keys sync_full sync_partial_err sync_partial_ok tcp_port "
    "total_active_defrag_time total_commands_processed total_connections_received "
    "total_error_replies total_eviction_exceeded_time total_forks total_net_input_bytes "
    "total_net_output_bytes total_net_repl_input_bytes total_net_repl_output_bytes "
    "total_reads_processed total_system_memory total_writes_processed tracking_clients "
    "tracking_total_items tracking_total_keys tracking_total_prefixes "
    "unexpected_error_replies uptime_in_seconds used_cpu_sys used_cpu_sys_children "
    "used_cpu_sys_main_thread used_cpu_user used_cpu_user_children used_cpu_user_main_thread "
    "used_memory used_memory_dataset used_memory_dataset_perc used_memory_functions "
    "used_memory_lua used_memory_overhead used_memory_peak used_memory_peak_perc "
    "used_memory_rss used_memory_scripts used_memory_scripts_eval used_memory_startup "
    "used_memory_vm_eval used_memory_vm_functions used_memory_vm_total ";

TEST_F(Info, HasTheFieldsThatExportersRead) {
  client_.Text("SET a 1 EX 100");
  const std::string text = client_.Text("INFO everything");
  std::istringstream names(kExporterFields);
  for (std::string name; names >> name;) {
    EXPECT_NE(text.find("\r\n" + name + ":"), std::string::npos) << name;
  }
  EXPECT_NE(text.find("\r\ncmdstat_set:calls=1,usec="), std::string::npos);
  EXPECT_NE(text.find("\r\nlatency_percentiles_usec_set:p50="), std::string::npos);
  EXPECT_NE(text.find("\r\ndb0:keys=1,expires=1,avg_ttl="), std::string::npos);
}

TEST_F(Info, HitsAndMissesAreThoseOfAllClients) {
  EXPECT_EQ(Reads(), "0/0");
  client_.Text("SET a 1");
  client_.Text("MGET a b a");
  second_.Text("GET a");
  second_.Text("GET b");
  EXPECT_EQ(Reads(), "3/2");
  EXPECT_EQ(client_.Text("CONFIG RESETSTAT"), "OK");
  EXPECT_EQ(Reads(), "0/0");
}

TEST_F(Info, EachCommandOfAPipelineCounts) {
  client_.Send("SET a 1\r\nGET a\r\nGET b\r\nDEL a\r\nGET a\r\nSET b 1\r\nGET b\r\n");
  for (int i = 0; i < 7; ++i) client_.Read();
  EXPECT_EQ(Reads(), "2/2");
}

TEST_F(Info, TransactionsAndTheirWatchesCountWhatTheirCommandsRead) {
  client_.Text("SET a 1");
  for (const char* line : {"WATCH a b", "MULTI", "GET a", "GET b", "SET b 1", "GET b", "EXEC"}) {
    client_.Text(line);
  }
  EXPECT_EQ(Reads(), "2/1");
}

TEST_F(Info, ScriptsCountWhatTheyCallAndNotTheKeysTheyName) {
  client_.Text("SET a 1");
  client_.Text("EVAL 'redis.call(\"get\",KEYS[1]) return redis.call(\"mget\",\"b\",\"a\")' 2 a c");
  EXPECT_EQ(Reads(), "2/1");
  client_.Text("EVAL_RO 'return redis.call(\"exists\",KEYS[1])' 1 b");
  EXPECT_EQ(Reads(), "2/2");
}

TEST_F(Info, CountsTheKeysWhoseFieldsHaveDeadlines) {
  const auto subexpiry = [&]() -> std::string {
    const std::string text = client_.Text("INFO keyspace");
    const std::size_t at = text.find("subexpiry=");
    return at == std::string::npos ? "none" : text.substr(at + 10, text.find('\r', at) - at - 10);
  };
  const std::pair<const char*, const char*> steps[] = {
      {"SET plain 1", "0"},
      {"HSET h a 1 b 2", "0"},
      {"HEXPIRE h 1000 FIELDS 1 a", "1"},
      {"HEXPIRE h 1000 FIELDS 1 b", "1"},
      {"HPERSIST h FIELDS 1 a", "1"},
      {"COPY h copy", "2"},
      {"RENAME copy other", "2"},
      {"EXPIRE other 1000", "2"},
      {"HSET h b 3", "1"},  // HSET removes the field's deadline.
      {"HEXPIRE h 1000 FIELDS 1 a", "2"},
      {"SET other 1", "1"},
      {"HPEXPIREAT h 1 FIELDS 1 a", "0"},
      {"HEXPIRE h 1000 FIELDS 1 b", "1"},
      {"DEL h", "0"},
  };
  for (const auto& [command, expected] : steps) {
    client_.Text(command);
    EXPECT_EQ(subexpiry(), expected) << command;
    EXPECT_TRUE(served_.database().Check()->clean()) << command;
  }
}

TEST_F(Info, ToTellOfAMissIsNotToReadTwice) {
  client_.Text("CONFIG SET notify-keyspace-events KEm");
  client_.Text("GET a");
  client_.Text("SINTER a b");
  EXPECT_EQ(Reads(), "0/3");
}

// The notes are from the future: then the interval counts as a second, however long the test takes,
// and notes that the server makes meanwhile come too soon to count.
TEST_F(Info, RatesAreOfWhatCameAfterTheNotes) {
  Server& server = served_.server();
  const auto ahead = server.Steady() + std::chrono::hours(1);
  for (int i = 0; i < 100; ++i) client_.Text("PING");
  server.throughput().Restart(ahead, server.statistics().totals());
  EXPECT_EQ(Line("instantaneous_ops_per_sec"), "0");
  server.throughput().Restart(ahead, server.statistics().totals());
  for (int i = 0; i < 200; ++i) client_.Text("PING");
  EXPECT_EQ(Line("instantaneous_ops_per_sec"), "200");
  EXPECT_GT(std::stod(Line("instantaneous_input_kbps")), 200 * 10 / 1024.0);
}

TEST_F(Info, RatesBeginAgainWithTheTotals) {
  Server& server = served_.server();
  const Throughput::Totals many{.commands = 2'000'000};
  const Throughput::Totals half{.commands = 1'000'000};
  server.throughput().Restart(server.Steady() + std::chrono::hours(1), many);
  EXPECT_EQ(server.throughput().At(server.Steady(), half).commands, 0);
  EXPECT_EQ(client_.Text("CONFIG RESETSTAT"), "OK");
  EXPECT_GT(server.throughput().At(server.Steady(), half).commands, 0);
}

}  // namespace
}  // namespace mayfly::server
