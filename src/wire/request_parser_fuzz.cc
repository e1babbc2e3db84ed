// Goal: no bytes break the parser, and how they are cut makes no difference.
// Method: the first bytes say whether the limits are narrow and how to cut; the rest is parsed
// whole, byte by byte and cut, and the results are compared.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "wire/testing/requests.h"

namespace mayfly {
namespace {

constexpr std::size_t kCuts = 4;

void Compare(Bytes input) {
  if (input.size() <= kCuts) return;
  const auto number = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
  RequestLimits limits;
  if (number(0) % 2 == 1) {
    limits.line_bytes_max = kLineBytesMin;
    limits.command_bytes_max = 60;
    limits.bulk_bytes_max = 20;
    limits.args_max = 5;
    limits.unauthenticated_args_max = 3;
    limits.unauthenticated_bulk_bytes_max = 10;
  }
  const bool unauthenticated = number(0) % 4 >= 2;
  const Bytes wire = input.substr(kCuts);
  std::vector<Bytes> single;
  for (std::size_t i = 0; i < wire.size(); ++i) single.push_back(wire.substr(i, 1));
  std::vector<Bytes> cut;
  for (std::size_t at = 0, i = 0; at < wire.size(); ++i) {
    cut.push_back(wire.substr(at, number(1 + i % (kCuts - 1)) % 32 + 1U));
    at += cut.back().size();
  }
  const Requests whole = ParsePieces({wire}, limits, unauthenticated);
  MAYFLY_CHECK(ParsePieces(single, limits, unauthenticated) == whole, "single bytes differ");
  MAYFLY_CHECK(ParsePieces(cut, limits, unauthenticated) == whole, "pieces differ");

  // A parsed command, sent as a list, is parsed again.
  for (const Command& command : whole.commands) {
    const Requests again = ParsePieces({Multibulk(command)});
    MAYFLY_CHECK(again.commands.size() == 1 && again.commands[0] == command,
                 "a command is not read back");
  }
}

}  // namespace
}  // namespace mayfly

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mayfly::Compare({reinterpret_cast<const char*>(data), size});
  return 0;
}
