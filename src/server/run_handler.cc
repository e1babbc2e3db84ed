#include "server/run_handler.h"

#include "server/key_misses.h"

namespace mayfly::server {

Answer RunHandler(const CommandSpec& spec, Call& call, OutputBuffer& out) {
  const std::uint64_t before = out.end_offset();
  const core::Work::Mark mark = call.work != nullptr ? call.work->SetMark() : core::Work::Mark();
  TellOfMisses(spec, call);
  Answer answer = spec.handler(call);
  if (answer.ok()) return answer;
  if (call.work != nullptr) call.work->RollBack(mark);
  out.Replace(before, out.end_offset() - before, {});
  call.reply.Error(answer.error());
  return answer;
}

}  // namespace mayfly::server
