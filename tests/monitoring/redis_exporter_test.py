# Goal: Prometheus' exporter for Redis reads mayfly without an error, and what dashboards made for it show is
# there: uptime, memory and its limit, keys, evictions, commands, latencies, the slow log.
# Method: Debian's prometheus-redis-exporter beside a server with a bit of everything; its page is read.
#   redis_exporter_test.py MAYFLY
import pathlib
import re
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess

SERVER = ServerProcess(sys.argv.pop())

# What the dashboards on grafana.com for this exporter draw.
SHOWN = """redis_up redis_instance_info redis_uptime_in_seconds redis_connected_clients redis_blocked_clients
redis_memory_used_bytes redis_memory_max_bytes redis_memory_used_rss_bytes redis_memory_used_peak_bytes
redis_mem_fragmentation_ratio redis_db_keys redis_db_keys_expiring redis_db_avg_ttl_seconds
redis_expired_keys_total redis_evicted_keys_total redis_keyspace_hits_total redis_keyspace_misses_total
redis_commands_processed_total redis_commands_total redis_commands_duration_seconds_total
redis_net_input_bytes_total redis_net_output_bytes_total redis_connections_received_total
redis_rejected_connections_total redis_slowlog_length redis_slowlog_last_id redis_pubsub_channels
redis_pubsub_patterns redis_cpu_sys_seconds_total redis_cpu_user_seconds_total redis_config_maxclients
redis_config_maxmemory redis_rdb_last_save_timestamp_seconds redis_rdb_changes_since_last_save
redis_aof_enabled redis_connected_slaves redis_master_repl_offset redis_second_repl_offset
redis_loading_dump_file redis_latest_fork_seconds redis_process_id redis_latency_spike_last
redis_key_size redis_key_value redis_number_of_distinct_key_groups""".split()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Exporter(unittest.TestCase):
    def test_reads_everything_without_an_error(self):
        with SERVER:
            client = socket.create_connection(("127.0.0.1", SERVER.port), timeout=30)
            for line in ("CONFIG SET latency-monitor-threshold 1", "CONFIG SET slowlog-log-slower-than 0",
                         "CONFIG SET maxmemory 100mb", "SET a 1 EX 100", "SET n 5", "GET a", "GET none",
                         "HSET h f v", "RPUSH l 1 2 3", "NONSENSE", "XADD s * f v",
                         "EVAL \"local t = redis.call('TIME')[2] + 0 for i = 1, 1000000 do end return 1\" 0"):
                client.sendall(line.encode() + b"\r\n")
                client.recv(10000)
            client.close()
            port = free_port()
            log_file = SERVER.folder / "exporter.log"
            exporter = subprocess.Popen(
                ["prometheus-redis-exporter", "-redis.addr", f"redis://127.0.0.1:{SERVER.port}",
                 "-web.listen-address", f"127.0.0.1:{port}", "-check-keys", "db0=*",
                 "-check-key-groups", "^(.).*$", "-include-system-metrics", "-check-streams", "db0=s"],
                stdout=subprocess.DEVNULL, stderr=open(log_file, "wb"))
            try:
                page = self.page(f"http://127.0.0.1:{port}/metrics")
            finally:
                exporter.terminate()
                exporter.wait(30)
            log = log_file.read_text()
            SERVER.stop()
        names = set(re.findall(r"^(redis_[a-z_0-9]+)", page, re.MULTILINE))
        self.assertEqual(sorted(set(SHOWN) - names), [])
        self.assertRegex(page, r"redis_up 1\n")
        self.assertRegex(page, r'redis_exporter_last_scrape_error\{err=""\} 0\n')
        self.assertRegex(page, r"redis_memory_max_bytes 1.048576e\+08\n")
        self.assertRegex(page, r'redis_db_keys\{db="db0"\} 5\n')
        self.assertRegex(page, r'redis_key_value\{db="db0",key="n"\} 5\n')
        errors = [line for line in log.splitlines() if "level=error" in line or "level=fatal" in line]
        self.assertEqual(errors, [])

    def page(self, url):
        end = time.monotonic() + 30
        while True:
            try:
                return urllib.request.urlopen(url, timeout=30).read().decode()
            except urllib.error.URLError:
                self.assertLess(time.monotonic(), end, "the exporter did not start")
                time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
