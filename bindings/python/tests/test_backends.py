"""The cache backends, with the real Django and Flask-Caching of Debian.

Debian has no aiocache. Its backend is tried against a stand-in of the base class, written from
aiocache's documentation: public calls build the key, use the serializer and the ttl, and call the
backend's methods with an underscore. It shows that the methods do what their names say, not that
every release of aiocache calls them so.
"""

import asyncio
import sys
import types

import django.conf
import pytest

from mayfly import shared


@pytest.fixture(autouse=True)
def closed_databases():
    yield
    shared.close_shared()


if not django.conf.settings.configured:
    django.conf.settings.configure()


@pytest.fixture
def django_cache(tmp_path, clock):
    from mayfly.django import MayflyCache

    return MayflyCache(str(tmp_path / "django"), {"OPTIONS": {"clock": clock}, "TIMEOUT": 10})


def test_django_stores_and_expires(django_cache, clock):
    cache = django_cache
    cache.set("k", {"a": [1, 2]})
    assert cache.get("k") == {"a": [1, 2]} and cache.has_key("k") and "k" in cache
    clock.advance(10)
    assert cache.get("k", "gone") == "gone"
    cache.set("k", 1, timeout=None)
    cache.set("l", 1, timeout=0)
    clock.advance(1000)
    assert (cache.get("k"), cache.get("l")) == (1, None)
    assert cache.touch("k", 5) and not cache.touch("l", 5)
    clock.advance(5)
    assert cache.get("k") is None


def test_django_adds_counts_and_versions(django_cache, clock):
    cache = django_cache
    assert cache.add("n", 1, timeout=30) and not cache.add("n", 2)
    assert cache.incr("n", 4) == 5 and cache.decr("n") == 4
    clock.advance(30)  # Counting keeps the timeout.
    with pytest.raises(ValueError):
        cache.incr("n")
    cache.set("v", "one")
    assert cache.incr_version("v") == 2
    assert cache.get("v") is None and cache.get("v", version=2) == "one"
    assert cache.get_or_set("made", lambda: "value") == "value" == cache.get("made")
    assert cache.delete("made") and not cache.delete("made")


def test_django_many(django_cache):
    cache = django_cache
    assert cache.set_many({"a": 1, "b": 2}) == []
    assert cache.get_many(["a", "b", "c"]) == {"a": 1, "b": 2}
    cache.delete_many(["a"])
    assert cache.get_many(["a", "b"]) == {"b": 2}
    cache.clear()
    assert cache.get("b") is None


def test_django_finds_it_by_name(tmp_path):
    from django.core.cache import CacheHandler

    handler = CacheHandler({"default": {"BACKEND": "mayfly.django.MayflyCache",
                                        "LOCATION": str(tmp_path / "one"),
                                        "OPTIONS": {"KEYSPACE": "pages"}},
                            "again": {"BACKEND": "mayfly.django.MayflyCache",
                                      "LOCATION": str(tmp_path / "one"), "KEY_PREFIX": "x"}})
    handler["default"].set("k", 1)
    handler["again"].set("k", 2)
    assert (handler["default"].get("k"), handler["again"].get("k")) == (1, 2)
    assert shared.open_shared(str(tmp_path / "one")).keyspaces() == ["default", "django", "pages"]


def test_a_second_process_is_told_what_to_do(tmp_path):
    import mayfly

    with mayfly.Database(tmp_path / "db"), pytest.raises(mayfly.BusyError, match="mayfly serve"):
        shared.open_shared(str(tmp_path / "db"))


@pytest.fixture
def flask_app(tmp_path):
    import flask
    from flask_caching import Cache

    app = flask.Flask("app")
    cache = Cache(app, config={"CACHE_TYPE": "mayfly.flask_caching.MayflyCache",
                               "CACHE_DIR": str(tmp_path / "flask")})
    return app, cache


def test_flask_caches_a_view(flask_app):
    app, cache = flask_app
    calls = []

    @app.route("/")
    @cache.cached(timeout=50)
    def view():
        calls.append(1)
        return f"call {len(calls)}"

    client = app.test_client()
    assert client.get("/").text == client.get("/").text == "call 1"
    cache.clear()
    assert client.get("/").text == "call 2"


def test_flask_memoizes(flask_app):
    app, cache = flask_app
    calls = []

    @cache.memoize(timeout=50)
    def double(x):
        calls.append(x)
        return 2 * x

    with app.app_context():
        assert [double(1), double(1), double(2)] == [2, 2, 4]
        cache.delete_memoized(double, 1)
        assert double(1) == 2
    assert calls == [1, 2, 1]


def test_flask_backend_expires(tmp_path, clock):
    from mayfly.flask_caching import MayflyCache

    cache = MayflyCache(str(tmp_path / "f"), default_timeout=10, clock=clock)
    assert cache.set("a", 1) and cache.set("b", 2, timeout=0) and cache.add("c", 3, 5)
    assert not cache.add("c", 4)
    assert cache.get_many("a", "b", "x") == [1, 2, None]
    assert cache.get_dict("a", "b") == {"a": 1, "b": 2}
    assert cache.inc("n") == 1 and cache.dec("n", 3) == -2
    clock.advance(10)
    assert (cache.get("a"), cache.get("b"), cache.has("c")) == (None, 2, False)
    assert cache.set_many({"x": 1, "y": 2}) and cache.delete_many("x", "y") == ["x", "y"]
    assert cache.delete("b") and not cache.delete("b")


class StandIn:
    """aiocache.base.BaseCache, as its documentation describes it."""

    def __init__(self, serializer=None, namespace="", key_builder=lambda key, space: space + key,
                 timeout=5, ttl=None, plugins=None):
        self.namespace, self.ttl, self._build_key = namespace, ttl, key_builder

    async def set(self, key, value, ttl=None):
        return await self._set(self.build_key(key), value, ttl=self.ttl if ttl is None else ttl)

    async def get(self, key):
        return await self._get(self.build_key(key), encoding="utf-8")


@pytest.fixture
def aiocache_class(monkeypatch):
    base = types.ModuleType("aiocache.base")
    base.BaseCache = StandIn
    monkeypatch.setitem(sys.modules, "aiocache", types.ModuleType("aiocache"))
    monkeypatch.setitem(sys.modules, "aiocache.base", base)
    monkeypatch.delitem(sys.modules, "mayfly.aiocache", raising=False)
    import mayfly.aiocache

    yield mayfly.aiocache.MayflyCache
    del sys.modules["mayfly.aiocache"]


def test_aiocache(aiocache_class, clock):
    shared.open_shared(None, clock=clock)

    async def main():
        cache = aiocache_class(namespace="ns:", ttl=10)
        await cache.set("k", "v")
        assert await cache.get("k") == "v"
        clock.advance(10)
        assert await cache.get("k") is None
        assert await cache._add("a", "1", ttl=None)
        with pytest.raises(ValueError):
            await cache._add("a", "2", ttl=None)
        assert await cache._increment("n", 2) == 2 and await cache._increment("n", 3) == 5
        with pytest.raises(TypeError):
            await cache._set("text", "x") and await cache._increment("text", 1)
        assert await cache._multi_set([("x", 1), ("y", b"2")], ttl=5)
        assert await cache._multi_get(["x", "y", "z"]) == ["1", "2", None]
        assert await cache._get("y", encoding=None) == b"2"
        assert await cache._expire("x", 0) and not await cache._expire("none", 1)
        clock.advance(5)
        assert await cache._exists("x") and not await cache._exists("y")
        token = await cache._gets("x")
        assert await cache._set("x", "3", _cas_token=token) == 1
        assert await cache._set("x", "4", _cas_token=token) == 0
        assert await cache._delete("x") == 1 and await cache._delete("x") == 0
        await cache._set("lock", "me", ttl=5)
        assert await cache._redlock_release("lock", "you") == 0
        assert await cache._redlock_release("lock", "me") == 1
        assert await cache._raw("exists", "a") is True
        await cache.set("k", "v")
        assert await cache._clear("ns:") and await cache.get("k") is None
        assert await cache._exists("a")
        assert await cache._clear() and not await cache._exists("a")

    asyncio.run(main())
