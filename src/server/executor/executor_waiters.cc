// executor_waiters.cc - clients that wait for keys: parked under the latches of those keys, and
// served by the client that changes one, in the order in which they came.
#include <deque>
#include <utility>

#include "server/executor/executor.h"

namespace mayfly::server {

std::shared_ptr<Waiter> Executor::Park(Session& session, const Item& item, BlockRequest request) {
  auto waiter = std::make_shared<Waiter>();
  waiter->session = session.weak_from_this();
  waiter->entry = item.decision.entry;
  if (request.args.empty()) {
    waiter->args.assign(item.args.begin(), item.args.end());
  } else {
    waiter->args = std::move(request.args);
  }
  waiter->keys = std::move(request.keys);
  waiter->client = session.origin().id;
  waiter->database = session.state().database;
  waiter->version = session.state().version;
  waiter->null_array = request.null_array;
  waiter->also_removed = request.also_removed;
  waiter->at_end = std::move(request.at_end);
  const auto& principal = session.state().principal;
  if (principal != nullptr) waiter->user = principal->name();
  const auto& tracking = session.state().tracking;
  waiter->tracks = tracking != nullptr && tracking->remembers();
  session.state().last_command = item.decision.entry;
  server_.waiting().Add(waiter);
  waiter->redirects = cluster_ != nullptr && cluster_->Redirects(session);
  session.Park(waiter, request.timeout);
  // The shard may have gone before the wait was entered.
  if (cluster_ != nullptr && run_.used() != nullptr && !cluster_->IsHere(*run_.used())) {
    session.FailWait(waiter, cluster_->MovedWhileWaitingLine(*waiter));
  }
  if (request.parked) request.parked(waiter);
  return waiter;
}

// The transaction that parked the client was not committed: the client gets an error instead. If it
// was served in the meantime, that reply is dropped, since the session no longer waits.
void Executor::CancelPark(const std::shared_ptr<Waiter>& waiter) {
  {
    const std::lock_guard lock(waiter->mutex);
    waiter->over = true;
  }
  server_.waiting().Remove(waiter);
  if (const auto session = waiter->session.lock()) session->CancelPark();
}

void Executor::ServeWaiters(std::vector<DatabaseKey> ready) {
  // A served command may change keys that other clients wait for; each round serves at least one
  // client, or ends.
  LeaderStream* const leader = run_.leader();
  run_.set_leader(nullptr);  // What clients wait for is none of its commands.
  const Session* const client = run_.client();
  while (!ready.empty()) {
    std::vector<DatabaseKey> next;
    for (const DatabaseKey& key : ready) {
      bool nothing_there = false;
      for (const auto& waiter : server_.waiting().On(key)) {
        if (nothing_there && !waiter->also_removed) continue;
        nothing_there = Serve(waiter, key, next) == Served::kNothingThere;
      }
    }
    ready = std::move(next);
  }
  run_.set_leader(leader);
  run_.set_client(client);
}

Executor::Served Executor::Serve(const std::shared_ptr<Waiter>& waiter, const DatabaseKey& key,
                                 std::vector<DatabaseKey>& ready) {
  if (waiter->entry->Is(kWrite) && server_.refuses_writes()) return Served::kStillWaits;
  const std::vector<Bytes> args(waiter->args.begin(), waiter->args.end());
  keys_.clear();
  FindKeys(waiter->entry->spec->keys, args, key_uses_);
  AddKeys(*waiter->entry, waiter->database, args);
  keys_.push_back({key.database, key.key});
  if (!run_.Begin(keys_, ReachOf(*waiter->entry)).ok()) return Served::kStillWaits;
  // After the latches: a transaction that holds them may be about to end this wait.
  const std::lock_guard lock(waiter->mutex);
  if (waiter->over) {
    run_.Abandon();
    return Served::kStillWaits;
  }
  core::FoundRow row;
  const Status found = run_.Space(*run_.transaction(), key.database).Find(key.key, row);
  if (!found.ok() || (!row.exists && !waiter->also_removed)) {
    run_.Abandon();
    return Served::kNothingThere;
  }
  const auto session = waiter->session.lock();
  run_.set_client(session.get());
  const SteadyTime begin = server_.Steady();
  OutputBuffer reply;
  // The rules may have changed since the client was parked.
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
    if (waiter->tracks) {
      run_.RememberReads(waiter->client, *waiter->entry->spec, args, waiter->database);
    }
  }
  // A key of another type does not end the wait: the handler skips it. An error is about something
  // else, such as the destination of the value, and ends it.
  if (answer.later()) {
    run_.Abandon();
    return Served::kStillWaits;
  }
  if (const Status committed = run_.Commit(); !committed.ok()) {
    if (!run_.happened()) return Served::kStillWaits;
    // The command took its value, and must not wait on.
    reply.Clear();
    ReplyWriter(reply, waiter->version).Error(Answer(committed).error());
  }
  for (DatabaseKey& changed : run_.ready()) ready.push_back(std::move(changed));
  waiter->nanos = static_cast<std::uint64_t>((server_.Steady() - begin).count());
  EndWait(waiter, session.get(), answer, reply.view());
  return Served::kYes;
}

// With the waiter's mutex. `session`: null if the client is gone.
void Executor::EndWait(const std::shared_ptr<Waiter>& waiter, Session* session,
                       const Answer& answer, Bytes reply) {
  waiter->over = true;
  server_.waiting().Remove(waiter);
  if (server_.statistics().CountFailure(answer)) {
    server_.statistics().CountFailedLater(waiter->entry->id);
  }
  if (session != nullptr) {
    session->Post([waiter, bytes = std::string(reply), fed = run_.fed_to()](Session& self) {
      if (fed > 0) self.state().fed_to = fed;
      self.Unpark(waiter, bytes);
    });
  }
  run_.NotifyTrackers();  // Behind the client's own reply.
}

}  // namespace mayfly::server
