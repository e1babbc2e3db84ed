# Goal: after kill -9 a stream has every entry whose XADD was answered, and its groups are consistent.
# Method: pipelines of XADD, XREADGROUP, XACK and XAUTOCLAIM by several clients, the server killed in the middle, several
# times on one database; then what each command says is compared with the others and with what was acknowledged.
#   stream_crash_test.py MAYFLY [--seed N] [--rounds N]
import argparse
import random
import socket
import sys
import threading
import time

from server_process import ServerProcess

WRITERS = 3


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.file = self.socket.makefile("rb")

    def send(self, *arguments):
        words = [str(one).encode() for one in arguments]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server is gone")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            if rest == b"-1":
                return None
            data = self.file.read(int(rest) + 2)
            if len(data) != int(rest) + 2:
                raise ConnectionError("the server is gone")
            return data[:-2].decode()
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if kind == b"-":
            raise AssertionError(rest.decode())
        return int(rest) if kind == b":" else rest.decode()

    def ask(self, *arguments):
        self.send(*arguments)
        return self.read()


class Told:
    """What the server has answered: it must hold after a crash."""

    def __init__(self):
        self.lock = threading.Lock()
        self.added = set()
        self.acknowledged = set()


def write(port, seed, told):
    choose = random.Random(seed)
    try:
        client = Client(port)
        me = f"c{seed % WRITERS}"
        while True:
            todo = choose.randrange(4)
            if todo < 2:
                for _ in range(8):
                    client.send("XADD", "s", "*", "v", choose.randrange(1000))
                for _ in range(8):
                    entry = client.read()
                    with told.lock:
                        told.added.add(entry)
            elif todo == 2:
                reply = client.ask("XREADGROUP", "GROUP", "g", me, "COUNT", 10, "STREAMS", "s", ">")
                ids = [entry for entry, _ in reply[0][1]] if reply else []
                ids = ids[:choose.randrange(11)]
                if ids:
                    client.ask("XACK", "s", "g", *ids)
                    with told.lock:
                        told.acknowledged.update(ids)
            else:
                client.ask("XAUTOCLAIM", "s", "g", me, 0, "-", "COUNT", 5)
    except (ConnectionError, OSError):
        pass


def check(client, told):
    entries = [entry for entry, _ in client.ask("XRANGE", "s", "-", "+")]
    assert client.ask("XLEN", "s") == len(entries)
    assert entries == sorted(entries, key=lambda e: tuple(map(int, e.split("-")))), "the order of ids is broken"
    lost = told.added - set(entries)
    assert not lost, f"{len(lost)} entries are lost, such as {sorted(lost)[0]}"
    pending = client.ask("XPENDING", "s", "g", "-", "+", 10_000_000)
    again = told.acknowledged & {entry for entry, *_ in pending}
    assert not again, f"{len(again)} acknowledged entries are pending"
    count, first, last, consumers = client.ask("XPENDING", "s", "g")
    assert count == len(pending), (count, len(pending))
    if pending:
        assert (first, last) == (pending[0][0], pending[-1][0])
        assert sum(int(n) for _, n in consumers) == count
        for name, n in consumers:
            assert len(client.ask("XPENDING", "s", "g", "-", "+", 10_000_000, name)) == int(n), name
    group = client.ask("XINFO", "GROUPS", "s")[0]
    group = dict(zip(group[::2], group[1::2]))
    order = {entry: i for i, entry in enumerate(entries)}
    read = order.get(group["last-delivered-id"], -1) + 1
    assert group["lag"] == len(entries) - read, (group, len(entries), read)
    return len(entries), len(pending)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mayfly")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    print("seed", options.seed)
    choose = random.Random(options.seed)
    told = Told()
    with ServerProcess(options.mayfly) as server:
        Client(server.port).ask("XGROUP", "CREATE", "s", "g", 0, "MKSTREAM")
        for each in range(options.rounds):
            writers = [threading.Thread(target=write, args=(server.port, choose.randrange(1 << 30), told))
                       for _ in range(WRITERS)]
            for writer in writers:
                writer.start()
            wanted = len(told.added) + choose.randrange(200, 1500)
            while len(told.added) < wanted:
                time.sleep(0.01)
            server.kill()
            for writer in writers:
                writer.join()
            server.restart()
            print(f"round {each}: {len(told.added)} told,", "%d entries, %d pending" % check(Client(server.port), told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
