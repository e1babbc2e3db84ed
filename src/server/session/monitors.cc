#include "server/session/monitors.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "server/command/shown_args.h"
#include "server/session/session.h"

namespace mayfly::server {

void Monitors::Add(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  sessions_[session->origin().id] = session;
  count_ = sessions_.size();
}

void Monitors::Remove(std::uint64_t id) {
  if (empty()) return;
  const std::lock_guard lock(mutex_);
  sessions_.erase(id);
  count_ = sessions_.size();
}

void Monitors::Show(WallTime now, int database, std::string_view source, const CommandSpec& spec,
                    std::span<const Bytes> args) {
  constexpr std::int64_t kMsPerSecond = 1000;
  const std::int64_t ms = ToMs(now);
  std::string line =
      fmt::format("{}.{:03}000 [{} {}]", ms / kMsPerSecond, ms % kMsPerSecond, database, source);
  for (const Bytes arg : ShownArgs(spec, args)) line.append(1, ' ').append(Quoted(arg));
  const auto shown = std::make_shared<const std::string>(std::move(line));  // Shared by them.
  const std::lock_guard lock(mutex_);
  for (const auto& [id, weak] : sessions_) {
    if (const auto session = weak.lock()) {
      session->PostMessage(shown->size(),
                           [shown](ReplyWriter& writer) { writer.SimpleString(*shown); });
    }
  }
}

}  // namespace mayfly::server
