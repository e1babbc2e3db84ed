#include "server/net/tls.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace mayfly::server {
namespace {

namespace ssl = boost::asio::ssl;
using ErrorCode = boost::system::error_code;

Status Loaded(std::string_view setting, const std::string& file, const ErrorCode& error) {
  if (!error) return {};
  return Status::Invalid(fmt::format("{} '{}': {}", setting, file, error.message()));
}

Status LoadOwnKey(const Config& config, ssl::context& context) {
  const std::string certificate = config.Text("tls-cert-file");
  const std::string key = config.Text("tls-key-file");
  if (certificate.empty() || key.empty()) {
    return Status::Invalid("tls-port needs tls-cert-file and tls-key-file");
  }
  ErrorCode error;
  context.set_password_callback(
      [password = config.Text("tls-key-file-pass")](std::size_t, ssl::context::password_purpose) {
        return password;
      },
      error);
  context.use_certificate_chain_file(certificate, error);
  MAYFLY_RETURN_IF_ERROR(Loaded("tls-cert-file", certificate, error));
  context.use_private_key_file(key, ssl::context::pem, error);
  return Loaded("tls-key-file", key, error);
}

Status LoadAuthority(const Config& config, ssl::context& context) {
  const std::string authority = config.Text("tls-ca-cert-file");
  const std::string clients = config.Text("tls-auth-clients");
  ErrorCode error;
  if (authority.empty()) {
    if (clients == "no") return {};
    return Status::Invalid("tls-auth-clients needs tls-ca-cert-file; or set it to 'no'");
  }
  context.load_verify_file(authority, error);
  MAYFLY_RETURN_IF_ERROR(Loaded("tls-ca-cert-file", authority, error));
  int mode = ssl::verify_none;
  if (clients == "optional") mode = ssl::verify_peer;
  if (clients == "yes") mode = ssl::verify_peer | ssl::verify_fail_if_no_peer_cert;
  context.set_verify_mode(mode, error);
  return Loaded("tls-auth-clients", clients, error);
}

}  // namespace

Result<std::unique_ptr<ssl::context>> NewTlsContext(const Config& config) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  ErrorCode error;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                           ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                           ssl::context::no_tlsv1_1,
                       error);
  MAYFLY_RETURN_IF_ERROR(LoadOwnKey(config, *context));
  MAYFLY_RETURN_IF_ERROR(LoadAuthority(config, *context));
  return context;
}

}  // namespace mayfly::server
