// Clients that wait for keys: parked under the latches of what they wait for, and served by whoever
// changes it, in the order in which they came.
#include <deque>
#include <utility>

#include "server/executor/executor.h"

namespace mayfly::server {

std::shared_ptr<Waiter> Executor::Park(Session& session, const Item& item, BlockRequest request) {
  auto waiter = std::make_shared<Waiter>();
  waiter->session = session.weak_from_this();
  waiter->entry = item.decision.entry;
  waiter->args.assign(item.args.begin(), item.args.end());
  waiter->keys = std::move(request.keys);
  waiter->database = session.state().database;
  waiter->version = session.state().version;
  waiter->null_array = request.null_array;
  const auto& principal = session.state().principal;
  if (principal != nullptr) waiter->user = principal->name();
  waiter->began = server_.Steady();
  session.state().last_command = item.decision.entry;
  server_.waiting().Add(waiter);
  session.Park(waiter, request.timeout);
  return waiter;
}

// The work that parked was not committed: the client gets an error instead. If somebody has served
// it in the meantime, that reply is on its way, and is dropped since the session no longer waits.
void Executor::CancelPark(const std::shared_ptr<Waiter>& waiter) {
  {
    const std::lock_guard lock(waiter->mutex);
    waiter->over = true;
  }
  server_.waiting().Remove(waiter);
  if (const auto session = waiter->session.lock()) session->CancelPark();
}

void Executor::ServeWaiters(std::vector<DatabaseKey> ready) {
  // What a served command changes may be what another waits for; each round serves at least one, or
  // ends.
  while (!ready.empty()) {
    std::vector<DatabaseKey> next;
    for (const DatabaseKey& key : ready) {
      for (const auto& waiter : server_.waiting().On(key)) {
        if (Serve(waiter, key, next) == Served::kNothingThere) break;
      }
    }
    ready = std::move(next);
  }
}

Executor::Served Executor::Serve(const std::shared_ptr<Waiter>& waiter, const DatabaseKey& key,
                                 std::vector<DatabaseKey>& ready) {
  const std::vector<Bytes> args(waiter->args.begin(), waiter->args.end());
  keys_.clear();
  FindKeys(waiter->entry->spec->keys, args, key_uses_);
  AddKeys(*waiter->entry, waiter->database, args);
  keys_.push_back({key.database, key.key});
  if (!run_.Begin(keys_, ReachOf(*waiter->entry)).ok()) return Served::kStillWaits;
  // Behind the latches: a transaction that holds them may be about to end this wait.
  const std::lock_guard lock(waiter->mutex);
  if (waiter->over) {
    run_.Abandon();
    return Served::kStillWaits;
  }
  core::FoundRow row;
  const Status found = run_.Space(*run_.transaction(), key.database).Find(key.key, row);
  if (!found.ok() || !row.exists) {
    run_.Abandon();
    return Served::kNothingThere;
  }
  OutputBuffer reply;
  // The rules may have changed since it came.
  Answer answer = server_.authorizer().CheckUser(waiter->user, *waiter->entry->spec, args);
  if (!answer.ok()) {
    ReplyWriter(reply, waiter->version).Error(answer.error());
  } else {
    answer = run_.Run({.entry = *waiter->entry,
                       .args = args,
                       .out = reply,
                       .version = waiter->version,
                       .database = waiter->database,
                       .may_block = true,
                       .retried = true});
  }
  // A key of another type is not what it waits for, and its handler passes over it; an error is
  // about something else, such as where the value was to go, and ends the wait.
  if (answer.later()) {
    run_.Abandon();
    return Served::kStillWaits;
  }
  if (const Status committed = run_.Commit(); !committed.ok()) {
    if (!run_.happened()) return Served::kStillWaits;
    // It has taken what it waited for, and must not wait on.
    reply.Clear();
    ReplyWriter(reply, waiter->version).Error(Answer(committed).error());
  }
  for (DatabaseKey& changed : run_.ready()) ready.push_back(std::move(changed));
  waiter->over = true;
  server_.waiting().Remove(waiter);
  if (server_.statistics().CountFailure(answer)) {
    server_.statistics().CountFailedLater(waiter->entry->id);
  }
  if (const auto session = waiter->session.lock()) {
    session->Post(
        [waiter, bytes = std::string(reply.view())](Session& self) { self.Unpark(waiter, bytes); });
  }
  return Served::kYes;
}

}  // namespace mayfly::server
