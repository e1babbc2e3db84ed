#include "console/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "console/limits.h"
#include "console/live.h"
#include "console/reply_json.h"
#include "console/request_check.h"
#include "console/responses.h"
#include "console/static_files.h"
#include "dynamo/json/json.h"
#include "dynamo/json/json_memory.h"
#include "server/acl/acl_password.h"
#include "server/config/thread_counts.h"

namespace mayfly::console {
namespace {

namespace json = boost::json;

constexpr std::string_view kCookie = "mayfly_console";

// The browser shows it to this origin's console alone, and no script reads it.
std::string CookieLine(std::string_view id, const http::Request& request) {
  const bool tls = request.peer != nullptr && request.peer->tls;
  return fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/console{}{}", kCookie, id,
                     tls ? "; Secure" : "", id.empty() ? "; Max-Age=0" : "");
}

std::string_view AddressWithPort(const http::Request& request) {
  return request.peer != nullptr ? std::string_view(request.peer->address) : std::string_view();
}

http::Response Refused(int status) {
  switch (status) {
    case 413: return Refusal(status, fmt::format("a request has at most {} bytes", kBodyBytesMax));
    case 503: return Refusal(status, "too many large requests at once; try again");
    default: return Refusal(status, "the request is no HTTP");
  }
}

// A member that has to be a text; null: it is missing, or something else.
const json::string* TextIn(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(dynamo::ToJson(name));
  return value != nullptr ? value->if_string() : nullptr;
}

Result<std::vector<Arguments>> CommandsIn(const json::object& body) {
  const json::value* const listed = body.if_contains("commands");
  const json::array* const commands = listed != nullptr ? listed->if_array() : nullptr;
  if (commands == nullptr) return Status::Invalid("\"commands\" is an array of commands");
  if (commands->size() > kCommandsMax) {
    return Status::Invalid(fmt::format("a request has at most {} commands", kCommandsMax));
  }
  std::vector<Arguments> taken;
  for (const json::value& command : *commands) {
    MAYFLY_TRY(Arguments arguments, ArgumentsOf(command));
    taken.push_back(std::move(arguments));
  }
  return taken;
}

Result<int> DatabaseIn(const json::object& body) {
  const json::value* const number = body.if_contains("db");
  if (number == nullptr) return 0;
  if (!number->is_int64() || number->get_int64() < 0 || number->get_int64() > server::kDatabasesMax)
    return Status::Invalid("\"db\" is the number of a database");
  return static_cast<int>(number->get_int64());
}

// A thread of HTTP stays for /health and DynamoDB's clients, however long commands take.
std::size_t RunnersFor(const server::Config& config) {
  return std::clamp<std::size_t>(server::HttpThreadCount(config) - 1, 1, kRunnersMax);
}

}  // namespace

Console::Console(server::Server& server)
    : server_(server),
      logins_(server.config(), server.real_clock()),
      attempts_(server.real_clock()),
      runner_(server, RunnersFor(server.config())) {}

void Console::Mount(http::Router& router) {
  AddStaticFiles(router, server_.config());
  router.Add("POST", "/console/api/login",
             [this](const http::Request& request) { return LogIn(request); },
             {.body_bytes_max = kSmallBodyBytesMax, .refuse = Refused});
  const auto add = [&](const char* method, const char* path, ForUser answer, std::size_t body,
                       Logins::Use use = Logins::Use::kCounts) {
    router.Add(
        method, path,
        [this, answer, use](const http::Request& request) { return Answer(request, answer, use); },
        {.body_bytes_max = body, .refuse = Refused});
  };
  add("GET", "/console/api/session", &Console::Session, kSmallBodyBytesMax);
  add("POST", "/console/api/logout", &Console::LogOut, kSmallBodyBytesMax);
  add("POST", "/console/api/command", &Console::Command, kBodyBytesMax);
  add("GET", "/console/api/live", &Console::Live, kSmallBodyBytesMax, Logins::Use::kDoesNotCount);
}

http::Response Console::Answer(const http::Request& request, ForUser answer, Logins::Use use) {
  if (auto refused = RefuseStranger(request, server_.config())) return *std::move(refused);
  if (auto refused = RefuseForeignPage(request)) return *std::move(refused);
  const std::shared_ptr<const Login> login = logins_.Find(CookieOf(request, kCookie), use);
  if (login == nullptr) return Refusal(401, "log in first: nobody is logged in, or no longer");
  if (request.method == "POST") {
    if (auto refused = RefuseForm(request)) return *std::move(refused);
    if (!server::SameHash(request.Header("x-csrf-token"), login->csrf())) {
      return Refusal(403, "X-CSRF-Token is missing or not this session's");
    }
  }
  return (this->*answer)(request, *login);
}

http::Response Console::LogIn(const http::Request& request) {
  if (auto refused = RefuseStranger(request, server_.config())) return *std::move(refused);
  if (auto refused = RefuseForeignPage(request)) return *std::move(refused);
  if (auto refused = RefuseForm(request)) return *std::move(refused);
  const std::string network = NetworkOf(request);
  if (!attempts_.Left(network)) {
    http::Response response = Refusal(429, "too many wrong passwords; wait a moment");
    response.headers["Retry-After"] = std::to_string(kAttemptEvery.count());
    return response;
  }
  dynamo::JsonMemory memory(request.body.size());
  const auto body = dynamo::ParseJson(request.body, memory.values(), memory.scratch());
  const json::object* const object = body ? body->if_object() : nullptr;
  const json::string* const user = object != nullptr ? TextIn(*object, "user") : nullptr;
  const json::string* const password = object != nullptr ? TextIn(*object, "password") : nullptr;
  if (user == nullptr || password == nullptr) {
    return Refusal(400, R"(send {"user": "...", "password": "..."})");
  }
  const bool local = request.peer != nullptr && request.peer->local;
  if (!local && server_.config().IsOn(server::Setting::kProtectedMode) &&
      server_.authorizer().open_to_all()) {
    return Refusal(403,
                   "protected-mode: without a password for the default user, the console answers "
                   "this machine alone");
  }
  auto principal = runner_.Authenticate(dynamo::View(*user), dynamo::View(*password),
                                        std::string(AddressWithPort(request)));
  if (!principal) {
    attempts_.Failed(network);
    return Refusal(401, principal.error().message());
  }
  logins_.Close(CookieOf(request, kCookie));  // That of the user before.
  const Logins::Opened opened = logins_.Open(*std::move(principal));
  http::Response response = JsonResponse(
      200, dynamo::ToText(json::object{{"user", dynamo::ToJson(opened.login->user())},
                                       {"csrf", dynamo::ToJson(opened.login->csrf())}}));
  response.headers["Set-Cookie"] = CookieLine(opened.id, request);
  return response;
}

http::Response Console::LogOut(const http::Request& request, const Login& /*login*/) {
  logins_.Close(CookieOf(request, kCookie));
  http::Response response = JsonResponse(200, "{}");
  response.headers["Set-Cookie"] = CookieLine("", request);
  return response;
}

http::Response Console::Session(const http::Request& request, const Login& login) {
  return JsonResponse(200, dynamo::ToText(json::object{
                               {"user", dynamo::ToJson(login.user())},
                               {"csrf", dynamo::ToJson(login.csrf())},
                               {"version", dynamo::ToJson(server_.version())},
                               {"databases", server_.databases().count()},
                               {"tls", request.peer != nullptr && request.peer->tls},
                           }));
}

http::Response Console::Command(const http::Request& request, const Login& login) {
  dynamo::JsonMemory memory(request.body.size());
  const auto body = dynamo::ParseJson(request.body, memory.values(), memory.scratch());
  if (!body) return Refusal(400, body.error().message());
  const json::object* const object = body->if_object();
  if (object == nullptr) return Refusal(400, R"(send {"db": 0, "commands": [["PING"]]})");
  const auto commands = CommandsIn(*object);
  if (!commands) return Refusal(400, commands.error().message());
  const auto database = DatabaseIn(*object);
  if (!database) return Refusal(400, database.error().message());
  Caller caller{.principal = login.principal(),
                .address = std::string(AddressWithPort(request)),
                .database = *database};
  if (caller.principal == nullptr) return Refusal(401, "the user has changed: log in again");
  const auto replies = runner_.Run(caller, *commands);
  if (!replies) {
    const bool busy = replies.error().code() == StatusCode::kBusy;
    return Refusal(busy ? 503 : 400, replies.error().message());
  }
  std::string text = R"({"replies":[)";
  for (std::size_t i = 0; i < replies->size(); ++i) {
    if (i > 0) text += ',';
    AppendJson((*replies)[i], text);
  }
  text += "]}";
  return JsonResponse(200, std::move(text));
}

http::Response Console::Live(const http::Request& request, const Login& login) {
  const auto filter = LiveFilterOf(request);
  if (!filter) return Refusal(400, filter.error().message());
  const Caller caller{.principal = login.principal(),
                      .address = std::string(AddressWithPort(request))};
  if (caller.principal == nullptr) return Refusal(401, "the user has changed: log in again");
  auto text = *filter ? LiveExpiry(runner_, caller, **filter) : LiveFigures(runner_, caller);
  // The browser asks again after events, and never again after a refusal.
  http::Response response = JsonResponse(200, text ? *std::move(text) : std::string());
  response.content_type = "text/event-stream; charset=utf-8";
  return response;
}

}  // namespace mayfly::console
