#include "server/net/address.h"

#include <fmt/format.h>

#include <sstream>

namespace mayfly::server {

Result<std::vector<BindAddress>> ReadBindAddresses(const std::string& text) {
  std::vector<BindAddress> addresses;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    BindAddress bind;
    bind.optional = word.front() == '-';
    std::string name = bind.optional ? word.substr(1) : word;
    if (name == "*") name = "0.0.0.0";
    if (name == "::*") name = "::";
    if (name == "localhost") name = "127.0.0.1";
    ErrorCode error;
    bind.address = asio::ip::make_address(name, error);
    if (error) {
      return Status::Invalid(fmt::format(
          "cannot listen on '{}': it is no IP address (bind takes addresses, not names)", word));
    }
    addresses.push_back(bind);
  }
  if (addresses.empty()) return Status::Invalid("bind names no address to listen on");
  return addresses;
}

std::string ToText(const Tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

bool IsLoopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

}  // namespace mayfly::server
