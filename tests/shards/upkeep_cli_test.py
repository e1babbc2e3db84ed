# Goal: `mayfly prove` and `mayfly check` work on a cluster through any server, and say of a proof what is
# not known instead of "kept". Method: a cluster in one process, over shards in memory.
#   upkeep_cli_test.py CLUSTER MAYFLY
import json
import pathlib
import subprocess
import sys
import unittest

import redis

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster_process import ClusterProcess

MAYFLY = sys.argv.pop()
CLUSTER = sys.argv.pop()


def mayfly(port, *words, code=0):
    run = subprocess.run([MAYFLY, words[0], "--url", f"redis://127.0.0.1:{port}", *words[1:]],
                         capture_output=True, text=True, timeout=60)
    if run.returncode != code:
        raise AssertionError(f"{words}: exit code {run.returncode}: {run.stdout}{run.stderr}")
    return run.stdout


class Upkeep(unittest.TestCase):
    def setUp(self):
        self.cluster = ClusterProcess(CLUSTER)
        self.ports = self.cluster.__enter__().ports
        self.addCleanup(self.cluster.__exit__)
        client = redis.Redis(port=self.ports[0])
        for i in range(50):
            client.set(f"key{i}", "needle" if i == 7 else "hay")

    def test_a_proof_never_says_kept(self):
        for port in self.ports:
            words = mayfly(port, "prove")
            self.assertIn("no promise", words)
            self.assertIn("not known: ", words)
            self.assertNotIn("kept", words.replace("no promise is made", ""))
            rows = [json.loads(line) for line in mayfly(port, "prove", "--json").splitlines()]
            kept = [row["kept"] for row in rows if "kept" in row]
            self.assertEqual(set(kept), {None})
            self.assertEqual(sum(row.get("rows", 0) for row in rows), 50)

    def test_bytes_are_found_wherever_they_are(self):
        found = mayfly(self.ports[1], "prove", "--find", "needle", code=3)
        self.assertRegex(found, r"FOUND\n +shard [0-7], ")
        searched = mayfly(self.ports[1], "prove", "--find", "nothing of the kind")
        self.assertIn("not found in what was searched; see what is not known", searched)

    def test_a_check_is_of_all_shards(self):
        for port in self.ports:
            self.assertIn("50 rows", mayfly(port, "check"))

    def test_what_is_not_offered_says_what_to_do(self):
        run = subprocess.run([MAYFLY, "compact", "--url", f"redis://127.0.0.1:{self.ports[0]}"],
                             capture_output=True, text=True, timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("ceph tell osd.* compact", run.stderr)


if __name__ == "__main__":
    unittest.main()
