# Goal: redis-py's RedisCluster and redis-cli work on a cluster, the first while shards move, without an
# error and without a lost write; and so does a plain redis-py, which knows of no cluster. Method: a
# cluster in one process (argv: the binary), real time.
import logging
import pathlib
import subprocess
import sys
import unittest

import redis
from redis.cluster import ClusterNode, RedisCluster

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster_process import ClusterProcess

logging.disable(logging.CRITICAL)  # It logs each MOVED that it follows.
BINARY = sys.argv.pop()
ROUNDS = 40
KEYS = [f"count:{i}" for i in range(50)]


def cluster_client(cluster):
    nodes = [ClusterNode("127.0.0.1", port) for port in cluster.ports]
    return RedisCluster(startup_nodes=nodes, decode_responses=True)


class ClusterClients(unittest.TestCase):
    def test_redis_cluster_counts_exactly_while_shards_move(self):
        with ClusterProcess(BINARY) as cluster:
            client = cluster_client(cluster)
            cluster.keep_moving()
            for count in range(1, ROUNDS + 1):
                self.assertEqual([client.incr(key) for key in KEYS], [count] * len(KEYS))
            cluster.rest()
            self.assertGreater(cluster.moves, 0)
            everywhere = RedisCluster.ALL_NODES
            self.assertEqual(client.dbsize(target_nodes=everywhere), len(KEYS))
            self.assertEqual(sorted(client.keys("count:*", target_nodes=everywhere)), sorted(KEYS))
            self.assertEqual(sorted(client.scan_iter(count=3)), sorted(KEYS))
            self.assertEqual(client.mget_nonatomic(KEYS), [str(ROUNDS)] * len(KEYS))

    def test_redis_cluster_finds_the_owner_of_each_slot(self):
        with ClusterProcess(BINARY, "cluster-redirect", "always") as cluster:
            client = cluster_client(cluster)
            for i in range(200):
                client.set(f"key{i}", i)
            for i in range(200):
                node = client.get_node_from_key(f"key{i}")
                direct = redis.Redis(port=node.port, decode_responses=True)
                self.assertEqual(direct.get(f"key{i}"), str(i))
            self.assertEqual({node.port for node in client.get_primaries()}, set(cluster.ports))

    def test_a_plain_client_counts_exactly_while_shards_move(self):
        with ClusterProcess(BINARY) as cluster:
            clients = [redis.Redis(port=port, decode_responses=True) for port in cluster.ports]
            cluster.keep_moving()
            for count in range(1, ROUNDS + 1):
                client = clients[count % 2]
                self.assertEqual([client.incr(key) for key in KEYS], [count] * len(KEYS))
                with client.pipeline(transaction=False) as pipeline:
                    for key in KEYS:
                        pipeline.get(key)
                    self.assertEqual(pipeline.execute(), [str(count)] * len(KEYS))
            cluster.rest()
            self.assertGreater(cluster.moves, 0)
            for client in clients:
                self.assertEqual(client.dbsize(), len(KEYS))
                self.assertEqual(sorted(client.scan_iter(count=3)), sorted(KEYS))

    def test_redis_cli_follows_moved(self):
        with ClusterProcess(BINARY, "cluster-redirect", "always") as cluster:
            def cli(*words):
                run = subprocess.run(["redis-cli", "-c", "-p", str(cluster.ports[0]), *words],
                                     capture_output=True, text=True, timeout=30, check=True)
                return run.stdout.strip()
            for i in range(20):
                self.assertIn("OK", cli("set", f"key{i}", str(i)))
            for i in range(20):
                self.assertEqual(cli("get", f"key{i}").splitlines()[-1], str(i))
            self.assertIn("cluster_state:ok", cli("cluster", "info"))


if __name__ == "__main__":
    unittest.main()
