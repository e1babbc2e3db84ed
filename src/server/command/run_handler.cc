#include "server/command/run_handler.h"

#include <utility>

#include "server/command/key_misses.h"

namespace mayfly::server {
namespace {

// Counts the handler's reads while it lives. A script's handler runs those of other commands; it
// reads nothing itself, so they leave nothing to restore.
class CountedReads {
 public:
  CountedReads(const CommandSpec& spec, const Call& call) : call_(call) {
    if (call.transaction != nullptr)
      call.transaction->read_counts() = {.left = KeysRead(spec, call)};
  }
  ~CountedReads() {
    if (call_.transaction == nullptr) return;
    const core::ReadCounts looks = std::exchange(call_.transaction->read_counts(), {});
    if (looks.found + looks.missed > 0) call_.host.CountReads(looks.found, looks.missed);
  }
  CountedReads(const CountedReads&) = delete;
  CountedReads& operator=(const CountedReads&) = delete;

 private:
  const Call& call_;
};

Answer RunCounted(const CommandSpec& spec, Call& call) {
  const CountedReads counted(spec, call);
  return spec.handler(call);
}

CommandFeed::Mark BeginFeed(const CommandSpec& spec, const Call& call) {
  const CommandFeed::Mark mark = call.feed->SetMark();
  if (MayChange(spec)) call.feed->BeginCommand(call.database);
  return mark;
}

void EndFeed(const CommandSpec& spec, const Call& call, const Answer& answer,
             core::LatchedTransaction::Mark mark, CommandFeed::Mark fed) {
  if (!answer.ok() || answer.later()) return call.feed->RollBack(fed);
  if (!MayChange(spec)) return;  // Commands that a script calls feed for themselves.
  const bool changed = call.transaction == nullptr || call.transaction->ChangedSince(mark);
  if (changed && call.transaction != nullptr) call.host.FeedDeaths(*call.transaction, *call.feed);
  call.feed->EndCommand(call.args, changed);
}

}  // namespace

Answer RunHandler(const CommandSpec& spec, Call& call, OutputBuffer& out) {
  const std::uint64_t before = out.end_offset();
  const bool reads = (spec.flags & kReadOnly) != 0 && !MayChange(spec);
  const bool writes = call.transaction != nullptr && !reads;
  const core::LatchedTransaction::Mark mark =
      writes ? call.transaction->SetMark() : core::LatchedTransaction::Mark();
  NotifyMisses(spec, call);
  const CommandFeed::Mark fed = call.feed != nullptr ? BeginFeed(spec, call) : 0;
  Answer answer = RunCounted(spec, call);  // Once: it is inlined.
  if (call.feed != nullptr) EndFeed(spec, call, answer, mark, fed);
  if (writes) {
    if (!answer.ok()) call.transaction->RollBack(mark);
    call.transaction->Release(mark);
  }
  if (answer.ok()) return answer;
  out.Replace(before, out.end_offset() - before, {});
  call.reply.Error(answer.error());
  return answer;
}

}  // namespace mayfly::server
