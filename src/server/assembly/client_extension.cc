#include "server/assembly/client_extension.h"

#include <utility>

#include "base/log.h"
#include "server/acl/acl_check.h"
#include "server/assembly/acl_authorizer.h"
#include "server/command/arguments.h"
#include "server/command/limits.h"
#include "server/scripting/function_requests.h"

namespace mayfly::server {
namespace {

// A message that outlives the call it came with.
struct KeptMessage {
  explicit KeptMessage(const PubSubMessage& message)
      : kind(message.kind),
        pattern(message.pattern),
        channel(message.channel),
        payload(message.payload),
        left(message.left) {}

  PubSubMessage view() const {
    return {.kind = kind, .pattern = pattern, .channel = channel, .payload = payload, .left = left};
  }

  ChannelKind kind;
  std::string pattern;
  std::string channel;
  std::string payload;
  std::optional<std::size_t> left;
};

const AclPrincipal* PrincipalOf(Session& session) {
  return static_cast<const AclPrincipal*>(session.state().principal.get());
}

}  // namespace

ClientExtension::ClientExtension(Server& server, Session& session, PubSub& registry,
                                 ScriptEngine& engine)
    : server_(server),
      session_(session),
      engine_(engine),
      latency_tracking_(server.config().Watched(Setting::kLatencyTracking)),
      mine_(registry, *this),
      outbox_(registry),
      pubsub_{.registry = registry, .mine = &mine_, .outbox = &outbox_} {}

AclContext* ClientExtension::acl() {
  const AclPrincipal* const principal = PrincipalOf(session_);
  if (principal == nullptr) return nullptr;
  acl_.emplace(AclContext{.session = principal->session(),
                          .clock = server_.clock(),
                          .file = server_.config().Text(Setting::kAclFile),
                          .client_info = session_.Describe(),
                          .watcher = this});
  return &*acl_;
}

SessionExtension::Subscriptions ClientExtension::subscriptions() const {
  return {.channels = mine_.size(ChannelKind::kChannel),
          .patterns = mine_.size(ChannelKind::kPattern),
          .shard_channels = mine_.size(ChannelKind::kShard)};
}

bool ClientExtension::ScriptMayWrite(const CommandSpec& spec, std::span<const Bytes> args) {
  if (server_.table().EntryOf(spec).category == Category::kFunctions) {
    auto function = engine_.catalogue()->Function(args[1]);
    if (function == nullptr) {  // No call has read the libraries yet.
      const auto catalogue = ReadCatalogue(server_.database(), server_.databases().own(), *this);
      if (catalogue) function = (*catalogue)->Function(args[1]);
    }
    return function == nullptr || !function->flags.no_writes;
  }
  if ((spec.flags & kByDigest) != 0) {
    const auto kept = engine_.Find(args[1]);
    return kept == nullptr || !kept->flags.no_writes;
  }
  if (!args[1].starts_with("#!")) return true;
  const Result<Script> script = ParseScript(args[1]);
  return !script || !script->flags.no_writes;
}

// Subscribers of a channel may be at any server of a cluster. A peer has told the others itself.
void ClientExtension::Committed() {
  if (server_.cluster() != nullptr && !outbox_.empty() &&
      session_.state().cluster_speech != ClusterSpeech::kPeer) {
    outbox_.ForEach([this](Bytes channel, Bytes payload) {
      const Bytes words[] = {"PUBLISH", channel, payload};
      server_.cluster()->TellPeers(words);
    });
  }
  outbox_.Send();
}

std::string ClientExtension::user_name() const {
  const AclPrincipal* const principal = PrincipalOf(session_);
  return principal != nullptr ? principal->session().name() : std::string();
}

bool ClientExtension::HearsMoreThan(const AclUser& user) const {
  for (const auto kind : {ChannelKind::kChannel, ChannelKind::kPattern, ChannelKind::kShard}) {
    for (const std::string& name : mine_.names(kind)) {
      if (!user.AllowsChannel(name, kind == ChannelKind::kPattern)) return true;
    }
  }
  return false;
}

// A client that is just authenticating has not published its user yet, so each is checked again on
// its own thread.
void ClientExtension::CloseIf(const Concern& concerns) {
  for (const auto& session : server_.clients().All()) {
    if (session.get() == &session_) {
      if (concerns(user_name(), *this)) session_.state().close_after_reply = true;
      continue;
    }
    const auto& client = static_cast<ClientExtension&>(session->extension());
    if (concerns(session->info().user, client)) {
      session->Kill();
      continue;
    }
    session->Post([concerns](Session& other) {
      const auto& extension = static_cast<ClientExtension&>(other.extension());
      if (concerns(extension.user_name(), extension)) other.Kill();
    });
  }
}

void ClientExtension::UserChanged(Bytes name) {
  const AclUserPtr changed = PrincipalOf(session_)->session().acl().Find(name);
  if (changed == nullptr) return;
  CloseIf([changed](const std::string& user, const ClientExtension& client) {
    return user == changed->name() && client.HearsMoreThan(*changed);
  });
}

// By name, even if a user of that name exists again by the time the clients are checked.
void ClientExtension::UserRemoved(Bytes name) {
  CloseIf([name = std::string(name)](const std::string& user, const ClientExtension&) {
    return user == name;
  });
}

void ClientExtension::UsersReplaced() {
  const auto users =
      std::make_shared<const Acl::Users>(PrincipalOf(session_)->session().acl().users());
  CloseIf([users](const std::string& user, const ClientExtension& client) {
    if (user.empty()) return false;
    const auto found = users->find(user);
    return found == users->end() || client.HearsMoreThan(*found->second);
  });
}

bool ClientExtension::Deliver(const PubSubMessage& message) {
  if (session_.gone()) return false;
  const std::size_t bytes =
      message.pattern.size() + message.channel.size() + message.payload.size();
  session_.PostMessage(bytes, [kept = std::make_shared<KeptMessage>(message)](ReplyWriter& writer) {
    WriteMessage(kept->view(), writer);
  });
  return true;
}

const CommandSpec* ClientExtension::Find(std::span<const Bytes> args) {
  Answer error;
  const CommandEntry* const entry = server_.table().Resolve(args, error);
  return entry != nullptr ? entry->spec : nullptr;
}

std::optional<std::string> ClientExtension::Refusal(const CommandSpec& spec,
                                                    std::span<const Bytes> args, bool tries) {
  if (session_.state().leader != nullptr) return std::nullopt;
  // Describing the client, for the log of refusals, costs more than the rest.
  const AclPrincipal* const principal = PrincipalOf(session_);
  if (principal != nullptr && MayRun(principal->session(), spec, args)) return std::nullopt;
  AclContext* const context = acl();
  if (context == nullptr) return std::string(kNoAuthLine);
  if (tries) return RefuseCommand(*context, spec, args, AclWhere::kLua);
  const AclUser* const user = context->session.user();
  if (user == nullptr) return std::string(kNoAuthLine);  // Removed in the meantime.
  const auto denial = CheckAcl(*user, context->session.acl().table(), spec, args);
  return denial ? std::optional(NoPermissionInScriptLine(*denial)) : std::nullopt;
}

void ClientExtension::Called(const CommandSpec& spec, int database, std::span<const Bytes> args) {
  if (server_.monitors().empty() || (spec.flags & (kSkipMonitor | kAdmin)) != 0) return;
  server_.monitors().Show(server_.clock().Now(), database, "lua", spec, args);
}

void ClientExtension::CountRun(const CommandSpec& spec, std::chrono::nanoseconds took,
                               const Answer& answer) {
  CommandStatistics& statistics = server_.statistics();
  const bool failed = statistics.CountFailure(answer);
  statistics.CountRun(server_.table().EntryOf(spec).id, static_cast<std::uint64_t>(took.count()),
                      failed, latency_tracking_.load(std::memory_order_relaxed) != 0);
}

bool ClientExtension::lacks_followers() const {
  return session_.state().leader == nullptr && server_.lacks_followers();
}

bool ClientExtension::out_of_memory() const {
  return session_.state().leader == nullptr && server_.data_limit().refuses();
}

bool ClientExtension::refuses_writes() const {
  return session_.state().leader == nullptr && server_.refuses_writes();
}

void ClientExtension::CountRefused(const CommandSpec* spec, Bytes error_line) {
  server_.statistics().CountError(error_line);
  if (spec != nullptr) server_.statistics().CountRejected(server_.table().EntryOf(*spec).id);
}

// Serves others only for a script that runs alone.
void ClientExtension::Breathe() {
  if (server_.stops) engine_.Kill(ScriptEngine::Kind::kAny, true);
  const SteadyTime now = server_.Steady();
  const auto since = server_.script_gate().shut_since();
  if (!since || now - *since < kScriptAloneTime) return;
  if (now - looked_after_others_ < kScriptServiceInterval) return;
  looked_after_others_ = now;
  session_.ServeOthers();
}

void ClientExtension::Log(LogLevel level, Bytes message) {
  mayfly::Log(server_.logger(), level, "{}", message);
}

}  // namespace mayfly::server
