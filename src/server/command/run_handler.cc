#include "server/command/run_handler.h"

#include <utility>

#include "server/command/key_misses.h"

namespace mayfly::server {
namespace {

// Books what the handler looks for while this is there. A script's handler runs those of other
// commands; it reads nothing itself, so they leave nothing to restore.
class CountedReads {
 public:
  CountedReads(const CommandSpec& spec, const Call& call) : call_(call) {
    if (call.work != nullptr) call.work->looks() = {.left = KeysRead(spec, call)};
  }
  ~CountedReads() {
    if (call_.work == nullptr) return;
    const core::Looks looks = std::exchange(call_.work->looks(), {});
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

}  // namespace

Answer RunHandler(const CommandSpec& spec, Call& call, OutputBuffer& out) {
  const std::uint64_t before = out.end_offset();
  const core::Work::Mark mark = call.work != nullptr ? call.work->SetMark() : core::Work::Mark();
  TellOfMisses(spec, call);
  Answer answer = RunCounted(spec, call);
  if (answer.ok()) return answer;
  if (call.work != nullptr) call.work->RollBack(mark);
  out.Replace(before, out.end_offset() - before, {});
  call.reply.Error(answer.error());
  return answer;
}

}  // namespace mayfly::server
