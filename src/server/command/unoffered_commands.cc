// unoffered_commands.cc - commands of Redis that mayfly knows by name and does not offer.
#include <algorithm>
#include <array>
#include <utility>

#include "server/command/arguments.h"
#include "server/command/command_table.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kCluster = "Redis Cluster";
constexpr std::string_view kFailover = "a hand-over by the leader; REPLICAOF is";
constexpr std::string_view kMigration = "moving keys between servers; DUMP and RESTORE are";
constexpr std::string_view kModules = "modules; functions are";

// In the order of names.
// clang-format off
constexpr std::array kUnoffered = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"asking",               kCluster},
    {"cluster",              kCluster},
    {"failover",             kFailover},
    {"migrate",              kMigration},
    {"module|load",          kModules},
    {"module|loadex",        kModules},
    {"module|unload",        kModules},
    {"readonly",             kCluster},
    {"readwrite",            kCluster},
    {"restore-asking",       kCluster},
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
