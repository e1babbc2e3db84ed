// live.h - what an open page gets every second, as server-sent events: figures, or expiry events.
// A response has what is new and ends; the browser asks again after kLiveEvery and says from which
// event on (Last-Event-ID). So a page that listens holds no connection's thread and no memory, and
// each answer is by the rules of that moment. Figures are replies of commands, as everything is.
//
//   event: figures   [replies of kFigureCommands]
//   event: expiry    [entries of TTL.EVENTS], and the sequence they end with as the id
//   event: skipped   {"events": n}: so many are left out, which came too fast or were trimmed
//   event: refused   {"error": "NOPERM ..."}
#pragma once

#include <optional>
#include <string>

#include "console/command_runner.h"
#include "http/router.h"

namespace mayfly::console {

// Which expiry events a page wants to hear of.
struct LiveFilter {
  std::optional<std::uint64_t> after;  // Nothing: the newest.
  std::string match;                   // A pattern of keys; empty: all.
  std::string keyspace;                // Empty: of all.
  std::string cause;                   // As TTL.EVENTS names it; empty: any.

  bool empty() const { return match.empty() && keyspace.empty() && cause.empty(); }
};

// The query "expiry=1&match=<hex>&keyspace=<hex>&cause=<hex>" and Last-Event-ID. Nothing: it wants
// figures.
Result<std::optional<LiveFilter>> LiveFilterOf(const http::Request& request);

// The events as text. Busy as CommandRunner::Run().
// LiveExpiry() returns the newest kLiveEventsMax events behind `after`. With a filter it looks
// through the newest kLiveEventsMax * kLiveBatchesMax and returns the newest kLiveEventsMax matches,
// so that a page hears of a rare key on a server on which thousands die each second.
Result<std::string> LiveFigures(CommandRunner& runner, const Caller& caller);
Result<std::string> LiveExpiry(CommandRunner& runner, const Caller& caller,
                               const LiveFilter& filter);

}  // namespace mayfly::console
