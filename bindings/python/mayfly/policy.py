"""What a keyspace asks of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Optional, Union

Duration = Union[int, float, timedelta]


@dataclass(frozen=True)
class Policy:
    """The policy of a keyspace. Lengths of time are seconds or a timedelta.

    default_ttl   the ttl of writes that state none; None: they live for ever
    min_ttl, max_ttl   bounds on the ttl of a write
    require_ttl   rows without a deadline are not allowed
    on_breach     what happens to a write against these: "refuse" it or "clamp" its ttl
    jitter        shortens a ttl by up to this share (0 to 0.9), the same for the same key
    events        what an expired row leaves: "off", "key" or "key_and_value"
    purge_within  a promise: this long after a row is gone, no byte of it is in any file
    order         which of two writes wins: the last to come ("arrival") or the one with the larger
                  "timestamp"; fixed when the keyspace is created
    history       with "timestamp": how far back reads can go
    late_max      with "timestamp": how far from the clock a timestamp may lie
    """

    default_ttl: Optional[Duration] = None
    min_ttl: Optional[Duration] = None
    max_ttl: Optional[Duration] = None
    require_ttl: bool = False
    on_breach: str = "refuse"
    jitter: float = 0.0
    events: str = "off"
    purge_within: Optional[Duration] = None
    order: str = "arrival"
    history: Duration = 0
    late_max: Optional[Duration] = None
