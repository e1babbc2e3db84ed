"""A cluster in one process, for tests of real clients; and a thread that moves its shards."""
import random
import subprocess
import threading

SHARDS = 8


class ClusterProcess:
    """with ClusterProcess(binary, "cluster-redirect", "always") as cluster: ... cluster.ports ..."""

    def __init__(self, binary, *settings, shards=SHARDS):
        self.command = [str(binary), "2", str(shards), *settings]
        self.process = None
        self.ports = []
        self.http_ports = []
        self.moves = 0
        self._mover = None
        self._ends = threading.Event()

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.ports = [int(port) for port in self.process.stdout.readline().split()]
        self.http_ports = [int(port) for port in self.process.stdout.readline().split()]
        return self

    def __exit__(self, *_):
        self.rest()
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.wait(timeout=30) != 0:
            raise RuntimeError("the cluster ended with an error")

    def give(self, shard, server):
        """Returns once the shard has moved."""
        self._command(f"{shard} {server}")
        self.moves += 1

    def release(self, shard):
        """Until it is given to a server, it is nobody's."""
        self._command(f"release {shard}")

    def kill(self, server):
        """With "--on-store" alone."""
        self._command(f"kill {server}")

    def _command(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def keep_moving(self, pause=0.02):
        """Moves one shard after the other, until rest()."""
        seed = random.randrange(1 << 32)
        print(f"seed of the moves: {seed}", flush=True)
        dice = random.Random(seed)

        def move():
            while not self._ends.wait(pause):
                self.give(dice.randrange(SHARDS), dice.randrange(2))

        self._mover = threading.Thread(target=move)
        self._mover.start()

    def rest(self):
        if self._mover is None:
            return
        self._ends.set()
        self._mover.join()
        self._mover = None
        self._ends.clear()
