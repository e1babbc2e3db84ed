// address.h - addresses to listen on, and how clients' addresses are written.
#pragma once

#include <string>
#include <vector>

#include "mayfly/result.h"
#include "server/net/stream.h"

namespace mayfly::server {

// One word of `bind`.
struct BindAddress {
  asio::ip::address address;
  bool optional = false;  // "-::1": it does no harm if the machine has no such address.
};

// "127.0.0.1 -::1", "*", "::*"; Invalid names the word that is no address.
Result<std::vector<BindAddress>> ReadBindAddresses(const std::string& text);

// "127.0.0.1:6379", "[::1]:6379".
std::string ToText(const Tcp::endpoint& endpoint);

// Loopback, also as an IPv4 address in IPv6.
bool IsLoopback(const asio::ip::address& address);

}  // namespace mayfly::server
