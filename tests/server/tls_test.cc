// Goal: TLS: the same commands behind a certificate, with and without a client certificate.
// Method: a certificate made on the spot, and clients that present it or do not.
#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>

#include "http/testing/self_signed.h"
#include "server/net/stream.h"
#include "server/served.h"
#include "server/taken_port.h"

namespace mayfly::server {
namespace {

using http::SelfSigned;

// The reply to a PING; empty when the server refuses the client.
std::string PingOver(int port, const SelfSigned* shown, int version_min = TLS1_2_VERSION) {
  asio::io_context context;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls.native_handle(), version_min);
  if (shown != nullptr) {
    tls.use_certificate_chain_file(shown->certificate_file);
    tls.use_private_key_file(shown->key_file, asio::ssl::context::pem);
  }
  TlsStream stream(context, tls);
  ErrorCode error;
  stream.lowest_layer().connect(
      Tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)), error);
  stream.handshake(asio::ssl::stream_base::client, error);
  if (error) return "";
  asio::write(stream, asio::buffer("PING\r\n", 6), error);
  char reply[7];
  const std::size_t got = asio::read(stream, asio::buffer(reply), error);
  return std::string(reply, got);
}

class Tls : public testing::Test {
 protected:
  Served::Settings SettingsFor(const std::string& auth_clients) const {
    // clang-format off
    return {
        {"tls-port",         std::to_string(port_)},
        {"tls-cert-file",    self_signed_.certificate_file},
        {"tls-key-file",     self_signed_.key_file},
        {"tls-ca-cert-file", self_signed_.certificate_file},
        {"tls-auth-clients", auth_clients},
    };
    // clang-format on
  }

  const SelfSigned self_signed_;
  const int port_ = FreePort();
};

TEST_F(Tls, ServesClientsWithoutACertificateWhenNoneIsAsked) {
  Served served(SettingsFor("no"));
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
  EXPECT_EQ(TestClient(served.port()).Text("PING"), "PONG");
}

TEST_F(Tls, AsksForACertificate) {
  Served served(SettingsFor("yes"));
  EXPECT_EQ(PingOver(port_, nullptr), "");
  EXPECT_EQ(PingOver(port_, &self_signed_), "+PONG\r\n");
  const SelfSigned stranger;
  EXPECT_EQ(PingOver(port_, &stranger), "");
}

// As Java's clients and browsers do.
TEST_F(Tls, AClientWithACertificateMayComeAgainWithItsSession) {
  Served served(SettingsFor("yes"));
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    std::unique_ptr<SSL_SESSION, void (*)(SSL_SESSION*)> session(nullptr, SSL_SESSION_free);
    for (const bool again : {false, true}) {
      asio::io_context context;
      asio::ssl::context tls(asio::ssl::context::tls_client);
      SSL_CTX_set_min_proto_version(tls.native_handle(), version);
      SSL_CTX_set_max_proto_version(tls.native_handle(), version);
      tls.use_certificate_chain_file(self_signed_.certificate_file);
      tls.use_private_key_file(self_signed_.key_file, asio::ssl::context::pem);
      TlsStream stream(context, tls);
      if (again) SSL_set_session(stream.native_handle(), session.get());
      ErrorCode error;
      stream.lowest_layer().connect(
          Tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port_)),
          error);
      stream.handshake(asio::ssl::stream_base::client, error);
      asio::write(stream, asio::buffer("PING\r\n", 6), error);
      char reply[7];
      EXPECT_EQ(std::string(reply, asio::read(stream, asio::buffer(reply), error)), "+PONG\r\n");
      EXPECT_EQ(SSL_session_reused(stream.native_handle()) == 1, again) << version;
      session.reset(SSL_get1_session(stream.native_handle()));
      SSL_shutdown(stream.native_handle());  // A session that ends otherwise is not kept.
    }
  }
}

TEST_F(Tls, LooksAtACertificateThatIsOptional) {
  Served served(SettingsFor("optional"));
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
  EXPECT_EQ(PingOver(port_, &self_signed_), "+PONG\r\n");
  const SelfSigned stranger;
  EXPECT_EQ(PingOver(port_, &stranger), "");
}

TEST_F(Tls, ClosesOnClientsThatDoNotSpeakIt) {
  Served served(SettingsFor("no"));
  TestClient client(port_);
  client.Send("PING\r\n");
  client.ReadAll();  // A TLS alert, perhaps; then the end.
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
}

TEST_F(Tls, CertificatesAndRulesChangeWhileItRuns) {
  Served served(SettingsFor("yes"));
  TestClient client(served.port());
  EXPECT_EQ(PingOver(port_, nullptr), "");
  EXPECT_EQ(client.Text("CONFIG SET tls-auth-clients no"), "OK");
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
  // A key and its certificate belong together: one alone is refused, and nothing changes.
  const SelfSigned other;
  const std::string refused = client.Text("CONFIG SET tls-key-file " + other.key_file);
  EXPECT_NE(refused.find("Unable to update TLS configuration"), std::string::npos) << refused;
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
  EXPECT_EQ(client.Text("CONFIG SET tls-cert-file " + other.certificate_file + " tls-key-file " +
                        other.key_file + " tls-ca-cert-file " + other.certificate_file +
                        " tls-auth-clients yes"),
            "OK");
  EXPECT_EQ(PingOver(port_, &self_signed_), "");
  EXPECT_EQ(PingOver(port_, &other), "+PONG\r\n");
}

TEST_F(Tls, VersionsAndCiphersAreChosen) {
  Served served(SettingsFor("no"));
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG SET tls-protocols TLSv1.2"), "OK");
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
  EXPECT_EQ(PingOver(port_, nullptr, TLS1_3_VERSION), "");
  EXPECT_EQ(client.Text("CONFIG SET tls-protocols \"\""), "OK");
  EXPECT_EQ(PingOver(port_, nullptr, TLS1_3_VERSION), "+PONG\r\n");
  EXPECT_TRUE(client.Text("CONFIG SET tls-protocols SSLv9").starts_with("ERR CONFIG SET failed"));
  EXPECT_TRUE(client.Text("CONFIG SET tls-ciphers none-such").starts_with("ERR CONFIG SET failed"));
  EXPECT_EQ(PingOver(port_, nullptr), "+PONG\r\n");
}

}  // namespace
}  // namespace mayfly::server
