#include "console/request_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "base/text.h"
#include "console/responses.h"

namespace mayfly::console {
namespace {

using server::Setting;

// "name:port" without the port; "[::1]:8000" as "::1". Empty when it is neither: another reader might
// take another part of it for the name.
std::string_view NameOf(std::string_view host) {
  const bool in_brackets = host.starts_with('[');
  const std::size_t end = in_brackets ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos) return {};
  const std::string_view name = in_brackets ? host.substr(1, end - 1) : host.substr(0, end);
  std::string_view port = host.substr(in_brackets ? end + 1 : end);
  if (port.empty()) return name;
  const bool is_port = port.size() > 1 && port[0] == ':' &&
                       port.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return is_port ? name : std::string_view();
}

bool IsListed(std::string_view name, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (!one.empty() && EqualsIgnoringCase(one, name)) return true;
  }
  return false;
}

// An address cannot be made to mean another machine.
bool IsAddress(std::string_view name) {
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(name), error);
  return !error;
}

}  // namespace

std::optional<http::Response> RefuseStranger(const http::Request& request,
                                             const server::Config& config) {
  if (!config.IsOn(Setting::kConsole)) {
    return Refusal(404, "the console is off: CONFIG SET console yes turns it on");
  }
  const bool local = request.peer != nullptr && request.peer->local;
  if (!local && !config.IsOn(Setting::kConsoleRemote)) {
    return Refusal(403,
                   "the console answers this machine alone; the setting console-remote opens it to "
                   "others, which http-tls should go with");
  }
  const std::string_view name = NameOf(request.Header("host"));
  if (EqualsIgnoringCase(name, "localhost") || IsAddress(name) ||
      IsListed(name, config.Text(Setting::kConsoleHosts))) {
    return std::nullopt;
  }
  return Refusal(403,
                 fmt::format("the console does not answer under this name; if it is right, add "
                             "it to the setting console-hosts"));
}

std::optional<http::Response> RefuseForeignPage(const http::Request& request) {
  const std::string_view site = request.Header("sec-fetch-site");
  bool foreign = !site.empty() && site != "same-origin" && site != "none";
  if (const std::string_view origin = request.Header("origin"); !origin.empty()) {
    const bool tls = request.peer != nullptr && request.peer->tls;
    const std::string_view scheme = tls ? "https://" : "http://";
    foreign = foreign || !origin.starts_with(scheme) ||
              !EqualsIgnoringCase(origin.substr(scheme.size()), request.Header("host"));
  }
  if (!foreign) return std::nullopt;
  return Refusal(403, "a page of another origin may not use the console");
}

std::optional<http::Response> RefuseForm(const http::Request& request) {
  std::string_view type = request.Header("content-type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (EqualsIgnoringCase(type, "application/json")) return std::nullopt;
  return Refusal(415, "send Content-Type: application/json");
}

std::string_view CookieOf(const http::Request& request, std::string_view name) {
  std::string_view rest = request.Header("cookie");
  std::optional<std::string_view> found;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) {
      if (found) return {};
      found = one.substr(name.size() + 1);
    }
  }
  return found.value_or(std::string_view());
}

std::string_view AddressOf(const http::Request& request) {
  if (request.peer == nullptr) return {};
  const std::string_view address = request.peer->address;
  return address.substr(0, address.rfind(':'));
}

std::string NetworkOf(const http::Request& request) {
  namespace ip = boost::asio::ip;
  const std::string_view address = AddressOf(request);
  if (!address.starts_with('[')) return std::string(address);
  boost::system::error_code error;
  const auto v6 = ip::make_address_v6(std::string(address.substr(1, address.size() - 2)), error);
  if (error) return std::string(address);
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return ip::address_v6(bytes).to_string();
}

}  // namespace mayfly::console
