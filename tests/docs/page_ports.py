"""Free ports in place of the ones that pages name.

Pages show the ports that readers have: 6379, 8000, and a few others where two servers run. The
runner gives each page ports of its own, in its commands and code, and translates them back in what
they print.
"""

import re
import socket

REDIS, HTTP = 6379, 8000
DOCUMENTED = (REDIS, HTTP, 6380, 8001)
NAMED = re.compile(r"((?:127\.0\.0\.1|localhost)[: ]|--[a-z-]*port |-p |\bport ?[=:]? ?)"
                   r"(%s)\b" % "|".join(str(port) for port in DOCUMENTED))


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Ports:
    def __init__(self):
        self.real = dict(zip(DOCUMENTED, free_ports(len(DOCUMENTED))))

    def localize(self, text):
        return NAMED.sub(lambda match: match[1] + str(self.real[int(match[2])]), text)

    def documented(self, text):
        for port, real in self.real.items():
            text = re.sub(rf"\b{real}\b", str(port), text)
        return text
