"""A user's program: a session that lives for a minute."""
from mayfly import KVStore

with KVStore("sessions.db") as store:
    store["session:7", 60] = "alice"
    assert store["session:7"] == b"alice", store["session:7"]
    assert 0 < store.ttl("session:7") <= 60, store.ttl("session:7")
