"""The asyncio variants make the same calls."""

import asyncio

import pytest

import mayfly
import mayfly.aio


def run(work, clock):
    async def main():
        async with mayfly.aio.Database(clock=clock) as db:
            await work(db)

    asyncio.run(main())


def test_rows(clock):
    async def work(db):
        await db.put("k", "v", ttl=5)
        assert await db.get("k") == b"v" and await db.ttl("k") == 5.0
        assert await db.exists("k") and await db.count() == 1
        assert await db.add("k", "w") is False
        assert await db.touch("k", ttl=7) == b"v"
        assert await db.persist("k") and await db.expire("k", 5)
        clock.advance(5)
        assert await db.get("k", "gone") == "gone"
        with pytest.raises(mayfly.NotFoundError):
            await db.ttl("k")
        await db.update({"a": "1", "b": "2"})
        assert await db.get_many(["a", "x"]) == [b"1", None]
        assert await db.change("a", lambda old: old + b"!") == b"1!"
        assert await db.delete("a")
        assert (await db.statistics()).purged_rows == 1

    run(work, clock)


def test_iterators(clock):
    async def work(db):
        pairs = [(b"%04d" % i, b"v") for i in range(1500)]
        await db.update(pairs)
        assert [pair async for pair in db.items()] == pairs
        assert [key async for key in db.keys(prefix="000")] == [key for key, _ in pairs[:10]]
        assert [row.key async for row in db.rows(reverse=True)][0] == b"1499"
        async for key in db:
            assert key == b"0000"
            break

    run(work, clock)


def test_keyspaces_and_transactions(clock):
    async def work(db):
        space = await db.keyspace("s", create=True, policy=mayfly.Policy(default_ttl=9))
        await space.put("k", "v")
        assert await space.ttl("k") == 9.0

        def move(tx):
            tx["k"] = tx.keyspace("s").pop("k")
            return "moved"

        assert await db.transact(move) == "moved"
        assert await db.get("k") == b"v" and not await space.exists("k")
        await asyncio.gather(*(db.change("n", lambda old: str(int(old or b"0") + 1))
                               for _ in range(20)))
        assert await db.get("n") == b"20"

    run(work, clock)


def test_events(clock):
    async def work(db):
        space = await db.keyspace("s", create=True, policy=mayfly.Policy(events="key"))
        seen = asyncio.Event()

        async def follow():
            async for event in db.follow_events(after=0):
                assert event.key == b"k"
                seen.set()

        follower = asyncio.ensure_future(follow())
        await space.put("k", "v", ttl=1)
        clock.advance(1)
        assert (await db.purge()).rows == 1
        await seen.wait()
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)

    run(work, clock)


def test_a_database_that_was_not_opened_says_how():
    async def main():
        db = mayfly.aio.Database()
        for call in (lambda: db.get("k"), lambda: db.keyspace("s"), db.close):
            with pytest.raises(mayfly.InvalidError, match="async with"):
                await call()

    asyncio.run(main())
