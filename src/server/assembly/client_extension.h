// client_extension.h - a client's state beside its session: permissions, subscriptions, and
// scripts.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "server/acl/acl_commands.h"
#include "server/pubsub/outbox.h"
#include "server/pubsub/pubsub_commands.h"
#include "server/pubsub/subscriptions.h"
#include "server/scripting/script_context.h"
#include "server/session/server.h"
#include "server/session/session.h"
#include "server/session/session_extension.h"

namespace mayfly::server {

class ClientExtension final : public SessionExtension,
                              public Subscriber,
                              public ScriptContext,
                              public AclWatcher {
 public:
  // All must outlive it; the session owns it.
  ClientExtension(Server& server, Session& session, PubSub& registry, ScriptEngine& engine);

  // SessionExtension.
  AclContext* acl() override;
  PubSubContext* pubsub() override { return &pubsub_; }
  ScriptContext* scripts() override { return this; }
  SessionExtension::Subscriptions subscriptions() const override;
  bool ScriptMayWrite(const CommandSpec& spec, std::span<const Bytes> args) override;
  void Reset() override { mine_.Leave(); }
  void Leave() override { mine_.Leave(); }
  void Committed() override;
  void Abandoned() override { outbox_.Discard(); }

  // Subscriber: called on the threads of publishers.
  bool Deliver(const PubSubMessage& message) override;

  // ScriptContext.
  ScriptEngine& engine() override { return engine_; }
  const CommandSpec* Find(std::span<const Bytes> args) override;
  std::optional<std::string> Refusal(const CommandSpec& spec, std::span<const Bytes> args,
                                     bool tries) override;
  void Called(const CommandSpec& spec, int database, std::span<const Bytes> args) override;
  void CountRun(const CommandSpec& spec, std::chrono::nanoseconds took,
                const Answer& answer) override;
  void CountRefused(const CommandSpec* spec, Bytes error_line) override;
  bool refuses_writes() const override;
  bool lacks_followers() const override;
  bool out_of_memory() const override;
  void Breathe() override;
  void Log(LogLevel level, Bytes message) override;

  // AclWatcher: called for changes this client made. The clients concerned are closed, each on its
  // own thread; this one, if it is among them, gets its reply first.
  void UserChanged(Bytes name) override;
  void UserRemoved(Bytes name) override;
  void UsersReplaced() override;

 private:
  // Called on any thread, with the name of the client's user; empty: not authenticated.
  using Concern = std::function<bool(const std::string& user, const ClientExtension& client)>;
  void CloseIf(const Concern& concerns);

  std::string user_name() const;  // On the client's thread.
  bool HearsMoreThan(const AclUser& user) const;

  Server& server_;
  Session& session_;
  ScriptEngine& engine_;
  const std::atomic<std::int64_t>& latency_tracking_;
  server::Subscriptions mine_;
  SteadyTime looked_after_others_;
  Outbox outbox_;
  PubSubContext pubsub_;
  std::optional<AclContext> acl_;  // Rebuilt for each command that asks.
};

}  // namespace mayfly::server
