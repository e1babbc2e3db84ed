// loopback.h - addresses that only this machine reaches.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/address_v6.hpp>

namespace mayfly::http {

// A socket for both families shows a client of 127.0.0.1 as ::ffff:127.0.0.1.
inline bool IsLoopback(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

}  // namespace mayfly::http
