// live.h - what an open page gets every second, as server-sent events: figures, or expiry events.
// A response has what is new and ends; the browser asks again after kLiveEvery and says from which
// event on (Last-Event-ID). So a page that listens holds no connection's thread and no memory, and
// each answer is by the rules of that moment. Figures are replies of commands, as everything is.
//
//   event: figures   [replies of kFigureCommands]
//   event: expiry    [entries of TTL.EVENTS], and the sequence they end with as the id
//   event: skipped   {"from": sequence, "to": sequence}: too many, or trimmed before they were read
//   event: refused   {"error": "NOPERM ..."}
#pragma once

#include <optional>
#include <string>

#include "console/command_runner.h"
#include "http/router.h"

namespace mayfly::console {

// Which expiry events a page wants to hear of.
struct LiveFilter {
  std::optional<std::uint64_t> after;  // Nothing: behind the newest kLiveEventsMax.
  std::string match;                   // A pattern of keys; empty: all.
  std::string keyspace;                // Empty: of all.
};

// The query "expiry=1&match=<hex>&keyspace=<hex>" and Last-Event-ID. Nothing: it wants figures.
Result<std::optional<LiveFilter>> LiveFilterOf(const http::Request& request);

// The events as text. Busy as CommandRunner::Run().
Result<std::string> LiveFigures(CommandRunner& runner, const Caller& caller);
Result<std::string> LiveExpiry(CommandRunner& runner, const Caller& caller,
                               const LiveFilter& filter);

}  // namespace mayfly::console
