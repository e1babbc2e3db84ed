#include "server/session/promised_memory.h"

#include <algorithm>

#include "mayfly/keyspace.h"
#include "server/session/server.h"

namespace mayfly::server {

std::optional<Millis> ShortestPromise(Database& database) {
  const auto names = database.ListKeyspaces();
  if (!names) return std::nullopt;
  std::optional<Millis> shortest;
  for (const std::string& name : *names) {
    const auto keyspace = database.OpenKeyspace(name);
    if (!keyspace) continue;  // Dropped since.
    const auto promise = (*keyspace)->policy().purge_within;
    if (promise) shortest = std::min(shortest.value_or(*promise), *promise);
  }
  return shortest;
}

void KeepPromisesInMemory(Server& server) {
  if (server.slowlog().size() == 0 && server.monitors().empty() && server.jobs().empty()) return;
  std::optional<Millis> promise;
  for (const auto& data : server.DataHere()) {
    const auto one = ShortestPromise(data->database);
    if (one) promise = std::min(promise.value_or(*one), *one);
  }
  // Lines queued behind a write arrived while it was in progress: their age is at most twice its
  // time.
  server.monitors().SetSendTimeMax(promise ? *promise / 4 : Millis(0));
  if (!promise) return;
  const WallTime before = server.clock().Now() - *promise / 2;
  server.slowlog().ForgetArguments(before);
  server.jobs().ForgetResults(before);
}

}  // namespace mayfly::server
