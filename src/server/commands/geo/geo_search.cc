// geo_search.cc - the points within a circle or a box: found, sorted, and shown or stored.
#include <algorithm>
#include <vector>

#include "server/commands/geo/geo_arguments.h"
#include "server/commands/geo/geo_commands.h"
#include "server/commands/geo/geo_found.h"
#include "server/commands/geo/geo_search_query.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"

namespace mayfly::server {
namespace {

using Centre = GeoSearchForm::Centre;

void Sort(std::vector<FoundPoint>& found, GeoOrder order) {
  if (order == GeoOrder::kAsFound) return;
  const bool nearest_first = order == GeoOrder::kNearestFirst;
  std::stable_sort(found.begin(), found.end(), [&](const FoundPoint& a, const FoundPoint& b) {
    return nearest_first ? a.metres < b.metres : b.metres < a.metres;
  });
}

void WriteFound(Call& call, const GeoQuery& query, const FoundPoint& found) {
  const std::size_t more = (query.with_distance ? std::size_t{1} : 0) +
                           (query.with_score ? std::size_t{1} : 0) +
                           (query.with_point ? std::size_t{1} : 0);
  if (more > 0) call.reply.Array(1 + more);
  call.reply.Bulk(found.name);
  if (query.with_distance) WriteLength(call, found.metres / query.shape.unit_metres);
  if (query.with_score) call.reply.Integer(types::WholeScore(found.score));
  if (query.with_point) WritePoint(call, found.point);
}

Answer StoreFound(Call& call, const GeoQuery& query, std::vector<FoundPoint>& found,
                  std::string_view event) {
  std::vector<types::ScoredName> scored;
  scored.reserve(found.size());
  for (FoundPoint& one : found) {
    const double distance = one.metres / query.shape.unit_metres;
    scored.push_back({std::move(one.name), query.store_distances ? distance : one.score});
  }
  return StoreScored(call, *query.target, scored, event);
}

Answer Search(Call& call, const GeoSearchForm& form) {
  MAYFLY_TRY(const types::SortedSet points, SortedSetOf(call, call.args[form.stores ? 2 : 1]));
  MAYFLY_TRY(const GeoQuery query, ReadGeoQuery(call, form, points));
  std::vector<FoundPoint> found;
  const auto count = static_cast<std::size_t>(query.count);
  if (!points.empty()) {
    MAYFLY_TRY(found, FindPoints(points, query.shape, query.any ? count : 0));
  }
  Sort(found, query.order);
  if (count > 0 && found.size() > count) found.erase(found.begin() + query.count, found.end());
  if (query.target) {
    return StoreFound(call, query, found, form.stores ? "geosearchstore" : "georadiusstore");
  }
  call.reply.Array(found.size());
  for (const FoundPoint& one : found) WriteFound(call, query, one);
  return {};
}

}  // namespace

Answer GeoRadius(Call& call) { return Search(call, {.centre = Centre::kPoint, .may_store = true}); }

Answer GeoRadiusByMember(Call& call) {
  return Search(call, {.centre = Centre::kMember, .may_store = true});
}

Answer GeoRadiusReadOnly(Call& call) { return Search(call, {.centre = Centre::kPoint}); }

Answer GeoRadiusByMemberReadOnly(Call& call) { return Search(call, {.centre = Centre::kMember}); }

Answer GeoSearch(Call& call) { return Search(call, {.centre = Centre::kOption}); }

Answer GeoSearchStore(Call& call) {
  return Search(call, {.centre = Centre::kOption, .stores = true});
}

}  // namespace mayfly::server
