#include "server/command/shown_args.h"

namespace mayfly::server {
namespace {

void AllFrom(std::size_t first, std::size_t end, std::vector<std::size_t>& positions) {
  for (std::size_t i = first; i < end; ++i) positions.push_back(i);
}

}  // namespace

std::vector<Bytes> ShownArgs(const CommandSpec& spec, std::span<const Bytes> args) {
  std::vector<Bytes> shown(args.begin(), args.end());
  if (spec.secrets == nullptr) return shown;
  std::vector<std::size_t> positions;
  spec.secrets(args, positions);
  for (const std::size_t position : positions) {
    if (position < shown.size()) shown[position] = kRedacted;
  }
  return shown;
}

void AllArgsSecret(std::span<const Bytes> args, std::vector<std::size_t>& positions) {
  AllFrom(1, args.size(), positions);
}

void AllSubcommandArgsSecret(std::span<const Bytes> args, std::vector<std::size_t>& positions) {
  AllFrom(2, args.size(), positions);
}

}  // namespace mayfly::server
