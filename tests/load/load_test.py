# Goal: a thousand connections, and those who mean no good, neither bring the server down nor make it
# hold without bound, and no write that was acknowledged is lost when its process is killed.
# Method: a `mayfly serve` of its own (argv: the binary). Writers pipeline and note what was acknowledged;
# others read nothing, stop halfway, announce too much, send noise. Several times the process is killed
# and what writers know is compared with what is there. MAYFLY_LOAD_SECONDS (default 12) sets the length,
# MAYFLY_SEED the course.
import asyncio
import os
import pathlib
import random
import re
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess

BINARY = sys.argv.pop()
SECONDS = float(os.environ.get("MAYFLY_LOAD_SECONDS", 12))
SEED = int(os.environ.get("MAYFLY_SEED", random.randrange(2**32)))
WRITERS = 900
NUISANCES = 100
KILLS = 3
PIPELINE = 16
# The profile takes about 200. Those who read nothing leave some MiB each before they are held: 540 to 680 MiB
# are allocated at a time, and after two minutes the process stays at 1,000 with what the allocator keeps.
MEMORY_MIB_MAX = 1280


def encode(*args):
    parts = [b"*%d\r\n" % len(args)]
    for arg in args:
        arg = arg if isinstance(arg, bytes) else str(arg).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(arg), arg))
    return b"".join(parts)


class Writer:
    """Counts its own key up, a pipeline at a time; what it was told is written must be there."""

    def __init__(self, number):
        self.key = f"writer:{number}"
        self.sent = 0
        self.acknowledged = 0

    async def run(self, port, end):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        try:
            while time.monotonic() < end:
                batch = range(self.sent + 1, self.sent + PIPELINE + 1)
                writer.write(b"".join(encode("SET", self.key, n, "EX", 100000) for n in batch))
                self.sent = batch[-1]
                for n in batch:
                    line = await reader.readline()
                    if line != b"+OK\r\n":
                        assert not line or not line.startswith(b"-"), line
                        return
                    self.acknowledged = n
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


class Nuisances:
    def __init__(self, chance):
        self.chance = chance

    async def run(self, port, end):
        kinds = [self.reads_nothing, self.stops_halfway, self.announces_too_much, self.makes_noise]
        while time.monotonic() < end:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                return
            try:
                await self.chance.choice(kinds)(reader, writer)
            except (OSError, asyncio.TimeoutError):
                pass
            finally:
                writer.transport.abort()

    async def reads_nothing(self, reader, writer):
        writer.transport.pause_reading()
        for _ in range(50):
            writer.write(encode("GET", "large") * 20)
            await asyncio.wait_for(writer.drain(), 0.5)

    async def stops_halfway(self, reader, writer):
        writer.write(encode("SET", "half", "x" * 1000)[:self.chance.randrange(1, 900)])
        await asyncio.sleep(self.chance.random())

    async def announces_too_much(self, reader, writer):
        writer.write(self.chance.choice([b"*2\r\n$3\r\nGET\r\n$999999999\r\n", b"*99999999999\r\n",
                                         b"*1\r\n$-5\r\n", b"*2147483647\r\n$1\r\na\r\n"]))
        await asyncio.wait_for(reader.read(100), 0.5)

    async def makes_noise(self, reader, writer):
        writer.write(self.chance.randbytes(self.chance.randrange(1, 5000)) + b"\r\n")
        await asyncio.wait_for(reader.read(100), 0.5)


def resident_mib(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


async def call(port, *args):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(encode(*args))
    line = await reader.readline()
    if line.startswith(b"$") and line != b"$-1\r\n":
        line = (await reader.readexactly(int(line[1:]) + 2))[:-2]
    writer.close()
    return line


class Load(unittest.TestCase):
    def test_nothing_acknowledged_is_lost_and_nothing_grows_without_bound(self):
        print(f"MAYFLY_SEED={SEED} MAYFLY_LOAD_SECONDS={SECONDS:g}", flush=True)
        with ServerProcess(BINARY, "--memory-profile", "default", "--maxclients", "2000") as server:
            self.highest = 0
            asyncio.run(self.play(server))
            print(f"at most {self.highest:.0f} MiB", flush=True)
            self.assertLess(self.highest, MEMORY_MIB_MAX)
            self.assertEqual(server.stop(), 0)

    async def play(self, server):
        chance = random.Random(SEED)
        writers = [Writer(n) for n in range(WRITERS)]
        for round_number in range(KILLS + 1):
            await call(server.port, "SET", "large", b"x" * 100_000)
            end = time.monotonic() + SECONDS / (KILLS + 1)
            tasks = [asyncio.create_task(who.run(server.port, end)) for who in
                     [*writers, *(Nuisances(random.Random(chance.random()))
                                  for _ in range(NUISANCES))]]
            while time.monotonic() < end - 0.2:
                await asyncio.sleep(0.2)
                self.assertIsNone(server.process.poll(), "the server died")
                self.highest = max(self.highest, resident_mib(server))
            if round_number < KILLS:
                server.kill()  # In the middle of pipelines.
            await asyncio.gather(*tasks)
            if round_number < KILLS:
                server.restart()
            await self.compare(server.port, writers)

    async def compare(self, port, writers):
        reader, connection = await asyncio.open_connection("127.0.0.1", port)
        for writer in writers:
            connection.write(encode("GET", writer.key))
            line = await reader.readline()
            found = 0
            if line != b"$-1\r\n":
                found = int((await reader.readexactly(int(line[1:]) + 2))[:-2])
            self.assertGreaterEqual(found, writer.acknowledged, writer.key)
            self.assertLessEqual(found, writer.sent, writer.key)
            writer.sent = writer.acknowledged = found
        connection.close()


if __name__ == "__main__":
    unittest.main()
