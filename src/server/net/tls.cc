#include "server/net/tls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "server/command/arguments.h"

namespace mayfly::server {
namespace {

namespace ssl = boost::asio::ssl;
using ErrorCode = boost::system::error_code;

Status Loaded(Setting setting, const std::string& file, const ErrorCode& error) {
  if (!error) return {};
  return Status::Invalid(fmt::format("{} '{}': {}", SpecOf(setting).name, file, error.message()));
}

Status LoadOwnKey(const Config& config, ssl::context& context) {
  const std::string certificate = config.Text(Setting::kTlsCertFile);
  const std::string key = config.Text(Setting::kTlsKeyFile);
  if (certificate.empty() || key.empty()) {
    return Status::Invalid("TLS needs tls-cert-file and tls-key-file");
  }
  ErrorCode error;
  context.set_password_callback(
      [password = config.Text(Setting::kTlsKeyFilePass)](
          std::size_t, ssl::context::password_purpose) { return password; },
      error);
  context.use_certificate_chain_file(certificate, error);
  MAYFLY_RETURN_IF_ERROR(Loaded(Setting::kTlsCertFile, certificate, error));
  context.use_private_key_file(key, ssl::context::pem, error);
  return Loaded(Setting::kTlsKeyFile, key, error);
}

Status LoadAuthority(const Config& config, Setting setting, ssl::context& context) {
  const std::string authority = config.Text(Setting::kTlsCaCertFile);
  const std::string clients = config.Text(setting);
  ErrorCode error;
  if (authority.empty()) {
    if (clients == "no") return {};
    return Status::Invalid(
        fmt::format("{} needs tls-ca-cert-file; or set it to 'no'", SpecOf(setting).name));
  }
  context.load_verify_file(authority, error);
  MAYFLY_RETURN_IF_ERROR(Loaded(Setting::kTlsCaCertFile, authority, error));
  int mode = ssl::verify_none;
  if (clients == "optional") mode = ssl::verify_peer;
  if (clients == "yes") mode = ssl::verify_peer | ssl::verify_fail_if_no_peer_cert;
  context.set_verify_mode(mode, error);
  return Loaded(setting, clients, error);
}

// Versions older than 1.2 are offered only if the settings name them.
Status ChooseVersions(const Config& config, ssl::context& context) {
  struct Version {
    std::string_view name;
    ssl::context::options off;
  };
  // clang-format off
  constexpr Version kVersions[] = {
      {"tlsv1",   ssl::context::no_tlsv1},
      {"tlsv1.1", ssl::context::no_tlsv1_1},
      {"tlsv1.2", ssl::context::no_tlsv1_2},
      {"tlsv1.3", ssl::context::no_tlsv1_3},
  };
  // clang-format on
  constexpr auto kServerOrder = static_cast<ssl::context::options>(SSL_OP_CIPHER_SERVER_PREFERENCE);
  std::string wanted = config.Text(Setting::kTlsProtocols);
  if (wanted.empty()) wanted = "TLSv1.2 TLSv1.3";
  ssl::context::options options =
      ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3;
  for (const Version& version : kVersions) options |= version.off;
  Bytes rest = wanted;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const Bytes word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    const auto* const found =
        std::find_if(std::begin(kVersions), std::end(kVersions),
                     [&](const Version& version) { return IsWord(word, version.name); });
    if (found == std::end(kVersions)) {
      return Status::Invalid(fmt::format("tls-protocols: there is no '{}'", word));
    }
    options &= ~found->off;
  }
  if (config.IsOn(Setting::kTlsPreferServerCiphers)) options |= kServerOrder;
  ErrorCode error;
  context.set_options(options, error);
  return Loaded(Setting::kTlsProtocols, wanted, error);
}

Status ChooseCiphers(const Config& config, ssl::context& context) {
  const std::string ciphers = config.Text(Setting::kTlsCiphers);
  if (!ciphers.empty() && SSL_CTX_set_cipher_list(context.native_handle(), ciphers.c_str()) != 1) {
    return Status::Invalid(fmt::format("tls-ciphers '{}': no such ciphers", ciphers));
  }
  const std::string suites = config.Text(Setting::kTlsCipherSuites);
  if (!suites.empty() && SSL_CTX_set_ciphersuites(context.native_handle(), suites.c_str()) != 1) {
    return Status::Invalid(fmt::format("tls-ciphersuites '{}': no such ciphers", suites));
  }
  return {};
}

// Without a name of its own for sessions, OpenSSL refuses clients that have shown a certificate and
// come again with their session.
Status NameSessions(Setting clients, ssl::context& context) {
  const std::string_view name = SpecOf(clients).name;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(name.data());
  if (SSL_CTX_set_session_id_context(context.native_handle(), bytes,
                                     static_cast<unsigned>(name.size())) == 1) {
    return {};
  }
  return Status::Internal("TLS: sessions cannot be named");
}

}  // namespace

Result<std::unique_ptr<ssl::context>> NewTlsContext(const Config& config, Setting clients) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  MAYFLY_RETURN_IF_ERROR(ChooseVersions(config, *context));
  MAYFLY_RETURN_IF_ERROR(ChooseCiphers(config, *context));
  MAYFLY_RETURN_IF_ERROR(LoadOwnKey(config, *context));
  MAYFLY_RETURN_IF_ERROR(LoadAuthority(config, clients, *context));
  MAYFLY_RETURN_IF_ERROR(NameSessions(clients, *context));
  return context;
}

}  // namespace mayfly::server
