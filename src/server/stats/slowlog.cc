#include "server/stats/slowlog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/command/limits.h"
#include "server/command/shown_args.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kForgottenArgs = "(forgotten:";

}  // namespace

void Slowlog::Add(SlowCommand command, std::size_t kept_max) {
  const std::lock_guard lock(mutex_);
  command.id = next_id_++;
  commands_.push_front(std::move(command));
  if (commands_.size() > kept_max) commands_.resize(kept_max);
}

std::vector<SlowCommand> Slowlog::Newest(std::size_t count) const {
  const std::lock_guard lock(mutex_);
  const auto end =
      commands_.begin() + static_cast<std::ptrdiff_t>(std::min(count, commands_.size()));
  return {commands_.begin(), end};
}

std::size_t Slowlog::size() const {
  const std::lock_guard lock(mutex_);
  return commands_.size();
}

void Slowlog::Clear() {
  const std::lock_guard lock(mutex_);
  commands_.clear();
}

void Slowlog::ForgetArguments(WallTime before) {
  const std::lock_guard lock(mutex_);
  // From the oldest on: skips those shortened before, and stops at the first young one.
  for (auto command = commands_.rbegin(); command != commands_.rend(); ++command) {
    if (command->at >= before) break;
    if (command->args.size() < 2 || command->args[1].starts_with(kForgottenArgs)) continue;
    const std::size_t more = command->args.size() - 1;
    command->args.resize(1);
    command->args.push_back(fmt::format("{} {})", kForgottenArgs, more));
  }
}

std::vector<std::string> ShortenedArgs(const CommandSpec& spec, std::span<const Bytes> all) {
  const std::vector<Bytes> args = ShownArgs(spec, all);
  std::vector<std::string> shortened;
  for (std::size_t i = 0; i < std::min(args.size(), kSlowlogArgsMax); ++i) {
    if (i == kSlowlogArgsMax - 1 && args.size() > kSlowlogArgsMax) {
      shortened.push_back(fmt::format("... ({} more arguments)", args.size() - i));
      break;
    }
    std::string text(args[i].substr(0, kSlowlogArgBytesMax));
    if (args[i].size() > kSlowlogArgBytesMax) {
      text += fmt::format("... ({} more bytes)", args[i].size() - kSlowlogArgBytesMax);
    }
    shortened.push_back(std::move(text));
  }
  return shortened;
}

}  // namespace mayfly::server
