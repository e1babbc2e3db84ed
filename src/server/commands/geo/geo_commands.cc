// geo_commands.cc - the geospatial family's table, and the commands on single points.
#include "server/commands/geo/geo_commands.h"

#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/geo/geo_arguments.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"
#include "server/commands/support/families.h"
#include "types/geo/geo_shape.h"

namespace mayfly::server {
namespace {

// The last word counts; `from` is the first argument that may be one.
template <std::size_t kFrom>
void FindStoreTarget(std::span<const Bytes> args, std::vector<KeyUse>& keys) {
  int target = 0;
  for (std::size_t i = kFrom; i + 1 < args.size(); ++i) {
    if (!IsWord(args[i], "store") && !IsWord(args[i], "storedist")) continue;
    target = static_cast<int>(++i);
  }
  if (target != 0) keys.push_back({target, kOW | kUpdate});
}

// The key that is searched, and the one behind STORE or STOREDIST.
template <std::size_t kOptionsFrom>
constexpr KeySpecs StoringKeys() {
  constexpr int kFrom = static_cast<int>(kOptionsFrom);
  return {.specs = {KeyAt(1, kRO | kAccess), KeyAfterWord("STORE", kFrom, kOW | kUpdate),
                    KeyAfterWord("STOREDIST", kFrom, kOW | kUpdate)},
          .find = FindStoreTarget<kOptionsFrom>};
}

constexpr std::uint32_t kStore = kWrite | kDenyOom;

// clang-format off
constexpr CommandSpec kGeoCommands[] = {
    {"geoadd",               -5, kStore,    OneKey(kRW | kUpdate),                 GeoAdd,
     {"Add points to a sorted set, or move them.", "3.2.0",
      "O(m log n) in the members given, and in those of the sorted set",
      "key condition=[NX | XX] [change=CH] longitude_latitude_member=(longitude:double latitude:double member)..."}},
    {"geodist",              -4, kReadOnly, OneKey(kRO | kAccess),                 GeoDist,
     {"Tell how far two points are from each other.", "3.2.0", "O(1)", "key member1 member2 unit=[M | KM | FT | MI]"}},
    {"geohash",              -2, kReadOnly, OneKey(kRO | kAccess),                 GeoHash,
     {"Tell the places of points as geohashes.", "3.2.0", "O(n) in the members given", "key member..."}},
    {"geopos",               -2, kReadOnly, OneKey(kRO | kAccess),                 GeoPos,
     {"Tell the longitude and latitude of points.", "3.2.0", "O(n) in the members given", "key member..."}},
    {"georadius",            -6, kStore,    StoringKeys<6>(),                      GeoRadius,
     {"Find the points around a place, or store them; GEOSEARCH does more.", "3.2.0",
      "O(n + m log m) in the points of the cells searched, and in those found",
      "key longitude:double latitude:double radius:double unit=(M | KM | FT | MI) [WITHCOORD] [WITHDIST] "
      "[WITHHASH] count=[COUNT count:int [ANY]] order=[ASC | DESC] [STORE key] [STOREDIST key]"}},
    {"georadius_ro",         -6, kReadOnly, OneKey(kRO | kAccess),                 GeoRadiusReadOnly,
     {"Find the points around a place.", "3.2.10",
      "O(n + m log m) in the points of the cells searched, and in those found",
      "key longitude:double latitude:double radius:double unit=(M | KM | FT | MI) [WITHCOORD] [WITHDIST] "
      "[WITHHASH] count=[COUNT count:int [ANY]] order=[ASC | DESC]"}},
    {"georadiusbymember",    -5, kStore,    StoringKeys<5>(),                      GeoRadiusByMember,
     {"Find the points around one of them, or store them; GEOSEARCH does more.", "3.2.0",
      "O(n + m log m) in the points of the cells searched, and in those found",
      "key member radius:double unit=(M | KM | FT | MI) [WITHCOORD] [WITHDIST] [WITHHASH] count=[COUNT count:int "
      "[ANY]] order=[ASC | DESC] [STORE key] [STOREDIST key]"}},
    {"georadiusbymember_ro", -5, kReadOnly, OneKey(kRO | kAccess),                 GeoRadiusByMemberReadOnly,
     {"Find the points around one of them.", "3.2.10",
      "O(n + m log m) in the points of the cells searched, and in those found",
      "key member radius:double unit=(M | KM | FT | MI) [WITHCOORD] [WITHDIST] [WITHHASH] count=[COUNT count:int "
      "[ANY]] order=[ASC | DESC]"}},
    {"geosearch",            -7, kReadOnly, OneKey(kRO | kAccess),                 GeoSearch,
     {"Find the points in a circle or a box.", "6.2.0",
      "O(n + m log m) in the points of the cells searched, and in those found",
      "key from=(FROMMEMBER member | FROMLONLAT longitude_latitude=(longitude:double latitude:double)) "
      "by=(circle=(BYRADIUS radius:double unit=(M | KM | FT | MI)) | box=(BYBOX width:double height:double unit=(M "
      "| KM | FT | MI))) order=[ASC | DESC] count=[COUNT count:int [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]"}},
    {"geosearchstore",       -8, kStore,    TwoKeys(kOW | kUpdate, kRO | kAccess), GeoSearchStore,
     {"Store the points in a circle or a box.", "6.2.0",
      "O(n + m log m) in the points of the cells searched, and in those found",
      "destination:key source:key from=(FROMMEMBER member | FROMLONLAT longitude_latitude=(longitude:double "
      "latitude:double)) by=(circle=(BYRADIUS radius:double unit=(M | KM | FT | MI)) | box=(BYBOX width:double "
      "height:double unit=(M | KM | FT | MI))) order=[ASC | DESC] count=[COUNT count:int [ANY]] [STOREDIST]"}},
};
// clang-format on

}  // namespace

CommandFamily GeoFamily() { return {"geo", Category::kGeo, kGeoCommands}; }

Answer GeoAdd(Call& call) {
  types::ScoreRule rule;
  bool count_changes = false;
  auto rest = call.args.subspan(2);
  for (; !rest.empty(); rest = rest.subspan(1)) {
    if (IsWord(rest[0], "nx")) {
      rule.only_new = true;
    } else if (IsWord(rest[0], "xx")) {
      rule.only_present = true;
    } else if (IsWord(rest[0], "ch")) {
      count_changes = true;
    } else {
      break;
    }
  }
  constexpr std::size_t kPointArgs = 3;
  const bool contradicts = rule.only_new && rule.only_present;
  if (rest.empty() || rest.size() % kPointArgs != 0 || contradicts) return SyntaxError();
  std::vector<NewScore> scores;
  for (std::size_t i = 0; i < rest.size(); i += kPointArgs) {
    MAYFLY_TRY(const types::GeoPoint point, PointArgument(rest[i], rest[i + 1]));
    scores.push_back({rest[i + 2], types::ScoreOfPoint(point)});
  }
  MAYFLY_TRY(const AddedScores added, AddScores(call, call.args[1], scores, rule));
  call.reply.Integer(count_changes ? added.added + added.changed : added.added);
  return {};
}

Answer GeoDist(Call& call) {
  constexpr std::size_t kArgsMax = 5;
  if (call.args.size() > kArgsMax) return SyntaxError();
  double metres = 1;
  if (call.args.size() == kArgsMax) {
    MAYFLY_TRY(metres, UnitArgument(call.args[4]));
  }
  MAYFLY_TRY(const types::SortedSet points, SortedSetOf(call, call.args[1]));
  MAYFLY_TRY(const auto from, points.Score(call.args[2]));
  MAYFLY_TRY(const auto to, points.Score(call.args[3]));
  if (!from || !to) {
    call.reply.Null();
    return {};
  }
  WriteLength(call, types::Distance(types::PointOfScore(*from), types::PointOfScore(*to)) / metres);
  return {};
}

Answer GeoHash(Call& call) {
  MAYFLY_TRY(const types::SortedSet points, SortedSetOf(call, call.args[1]));
  call.reply.Array(call.args.size() - 2);
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const auto score, points.Score(name));
    score ? call.reply.Bulk(types::GeohashOf(types::PointOfScore(*score))) : call.reply.Null();
  }
  return {};
}

Answer GeoPos(Call& call) {
  MAYFLY_TRY(const types::SortedSet points, SortedSetOf(call, call.args[1]));
  call.reply.Array(call.args.size() - 2);
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const auto score, points.Score(name));
    score ? WritePoint(call, types::PointOfScore(*score)) : call.reply.NullArray();
  }
  return {};
}

}  // namespace mayfly::server
