// script_runner.h - runs scripts on a host that answers from a few lines, for tests.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/scripting/script_engine.h"
#include "wire/reply_parser.h"

namespace mayfly::server {

// Knows GET and SET on a map, INCR of a word as an error, and a reply of each kind of RESP3.
class PlainScriptHost : public ScriptHost {
 public:
  Reply Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) override {
    calls.push_back(fmt::format("{}", fmt::join(args, " ")));
    if (on_call) on_call();
    const Bytes name = args[0];
    if (name == "get") {
      const auto found = rows.find(std::string(args[1]));
      return found == rows.end() ? Reply::Null() : Reply::Bulk(found->second);
    }
    if (name == "set") {
      if (!run.BeginWrite()) return Error("ERR Script killed by user with SCRIPT KILL...");
      rows[std::string(args[1])] = args[2];
      return Reply::Text(Reply::Kind::kSimpleString, "OK");
    }
    if (name == "incr") {
      return Error("WRONGTYPE Operation against a key holding the wrong kind of value");
    }
    const bool resp3 = version == ProtocolVersion::kResp3;
    const auto found = replies.find(std::string(name));
    if (found == replies.end()) return Error("ERR Unknown Redis command called from script");
    return resp3 ? found->second : Reply::Bulk("resp2");
  }
  std::optional<bool> MayCall(std::span<const Bytes> args) override {
    if (args[0] == "nope") return std::nullopt;
    return args[0] != "set";
  }
  void Log(LogLevel level, Bytes message) override {
    log.push_back(fmt::format("{} {}", static_cast<int>(level), message));
  }

  std::map<std::string, std::string> rows;
  std::map<std::string, Reply> replies;
  std::vector<std::string> calls;
  std::vector<std::string> log;
  std::function<void()> on_call;

 private:
  static Reply Error(std::string line) { return Reply::Text(Reply::Kind::kError, std::move(line)); }
};

// Loads and runs a script; the bytes of its reply, with \r\n as one blank, and "{sha}" for its
// name.
inline std::string WireOfScript(ScriptEngine& engine, ScriptHost& host, Bytes text,
                                std::vector<Bytes> keys = {}, std::vector<Bytes> args = {},
                                ProtocolVersion version = ProtocolVersion::kResp2) {
  const Result<std::shared_ptr<const Script>> script = engine.Load(text);
  if (!script) return "ERR " + std::string(script.error().message());
  OutputBuffer out;
  ReplyWriter writer(out, version);
  const Answer answer = engine.Run(**script, keys, args, host, writer);
  if (!answer.ok()) return answer.error();
  std::string wire(out.view());
  const auto replace = [&wire](std::string_view what, std::string_view by) {
    for (std::size_t at = wire.find(what); at != std::string::npos; at = wire.find(what, at)) {
      wire.replace(at, what.size(), by);
    }
  };
  replace("\r\n", " ");
  replace((*script)->sha, "{sha}");
  if (!wire.empty() && wire.back() == ' ') wire.pop_back();
  return wire;
}

}  // namespace mayfly::server
