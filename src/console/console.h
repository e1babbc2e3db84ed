// console.h - the console's side of the HTTP port: a page for people, and the few paths it uses.
// It has no logic of its own about rows. Everything that it shows comes from commands of the server's
// table, which run as the user who is logged in (command_runner.h): so what a user may see and do is
// the same as in the Redis protocol.
//
//   GET  /console, /console/assets/...   the page (static_files.h)
//   POST /console/api/login              {"user", "password"} -> {"user", "csrf"}, and the cookie
//   GET  /console/api/session            {"user", "csrf", "version", ...}
//   POST /console/api/logout             {}
//   POST /console/api/command            {"db", "commands": [[...], ...]} -> {"replies": [...]}
//   GET  /console/api/live               figures or expiry events, as they come (live.h)
//
// Every POST has Content-Type: application/json, comes from a page of this origin and, but for a
// login, shows X-CSRF-Token. 401: nobody is logged in; 403: the request is not one of the page.
#pragma once

#include "console/command_runner.h"
#include "console/login_attempts.h"
#include "console/logins.h"
#include "http/router.h"
#include "server/session/server.h"

namespace mayfly::console {

// Made before the server runs; then safe to call from any thread.
class Console {
 public:
  // The server must outlive it.
  explicit Console(server::Server& server);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // It must outlive the router's use.
  void Mount(http::Router& router);

 private:
  // A request of a user who is logged in.
  using ForUser = http::Response (Console::*)(const http::Request& request, const Login& login);
  http::Response Answer(const http::Request& request, ForUser answer, Logins::Use use);

  http::Response LogIn(const http::Request& request);
  http::Response LogOut(const http::Request& request, const Login& login);
  http::Response Session(const http::Request& request, const Login& login);
  http::Response Command(const http::Request& request, const Login& login);
  http::Response Live(const http::Request& request, const Login& login);

  server::Server& server_;
  Logins logins_;
  LoginAttempts attempts_;
  CommandRunner runner_;
};

}  // namespace mayfly::console
