// unoffered_commands.cc - commands of Redis that mayfly knows by name and does not offer.
#include <algorithm>
#include <array>
#include <utility>

#include "server/command/arguments.h"
#include "server/command/command_table.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kSlots = "the servers of a cluster share slots by themselves";
constexpr std::string_view kMoved = "keys move with their slot, and not one by one";
constexpr std::string_view kFailover = "a hand-over by the leader; REPLICAOF is";
constexpr std::string_view kMigration = "moving keys between servers; DUMP and RESTORE are";
constexpr std::string_view kModules = "modules; functions are";

// In the order of names.
// clang-format off
constexpr std::array kUnoffered = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"cluster|addslots",         kSlots},
    {"cluster|addslotsrange",    kSlots},
    {"cluster|bumpepoch",        kSlots},
    {"cluster|delslots",         kSlots},
    {"cluster|delslotsrange",    kSlots},
    {"cluster|failover",         kSlots},
    {"cluster|flushslots",       kSlots},
    {"cluster|forget",           kSlots},
    {"cluster|meet",             kSlots},
    {"cluster|replicate",        kSlots},
    {"cluster|reset",            kSlots},
    {"cluster|saveconfig",       kSlots},
    {"cluster|set-config-epoch", kSlots},
    {"cluster|setslot",          kSlots},
    {"failover",             kFailover},
    {"migrate",              kMigration},
    {"module|load",          kModules},
    {"module|loadex",        kModules},
    {"module|unload",        kModules},
    {"restore-asking",       kMoved},
});
// clang-format on
static_assert(std::is_sorted(kUnoffered.begin(), kUnoffered.end()));

}  // namespace

std::optional<std::string_view> UnofferedPart(std::string_view lower_name) {
  const auto found =
      std::lower_bound(kUnoffered.begin(), kUnoffered.end(), lower_name,
                       [](const auto& line, std::string_view name) { return line.first < name; });
  if (found == kUnoffered.end() || found->first != lower_name) return std::nullopt;
  return found->second;
}

bool IsForeignProtocol(Bytes name) { return IsWord(name, "post") || IsWord(name, "host:"); }

}  // namespace mayfly::server
