#include "server/commands/geo/geo_found.h"

#include <limits>

#include "server/commands/support/held_result.h"

namespace mayfly::server {
namespace {

// Names read at a time while a limit may end the search.
constexpr std::int64_t kPageNames = 256;

class PointSearch {
 public:
  PointSearch(const types::SortedSet& points, const types::GeoShape& shape, std::size_t limit)
      : points_(points), shape_(shape), limit_(limit) {}

  bool full() const { return limit_ > 0 && found_.size() >= limit_; }

  // Searches the range of scores of one cell.
  Status Search(const types::GeoCell& cell) {
    const types::GeoScores scores = types::ScoresOf(cell);
    const types::ScoreRange range{.min = scores.first, .max = scores.end, .max_excluded = true};
    if (limit_ == 0) return Walk({.range = range});
    // By ranks, a page at a time: the rest of a large cell stays unread.
    constexpr double kLowest = -std::numeric_limits<double>::infinity();
    MAYFLY_TRY(const std::uint64_t below,
               points_.Count({.range = types::ScoreRange{
                                  .min = kLowest, .max = scores.first, .max_excluded = true}}));
    MAYFLY_TRY(const std::uint64_t within, points_.Count({.range = range}));
    const auto end = static_cast<std::int64_t>(below + within);
    for (auto first = static_cast<std::int64_t>(below); first < end && !full();
         first += kPageNames) {
      const std::int64_t last = std::min(first + kPageNames, end) - 1;
      MAYFLY_RETURN_IF_ERROR(Walk({.range = types::RankRange{.first = first, .last = last}}));
    }
    return {};
  }

  std::vector<FoundPoint>& found() { return found_; }

 private:
  Status Walk(const types::RangeQuery& query) {
    bool fits = true;
    MAYFLY_RETURN_IF_ERROR(points_.Walk(query, [&](Bytes name, double score) {
      if (!fits || full()) return;
      const types::GeoPoint point = types::PointOfScore(score);
      const auto metres = types::DistanceWithin(shape_, point);
      if (!metres) return;
      fits = held_.Add(name.size(), sizeof(FoundPoint));
      if (fits) found_.push_back({std::string(name), score, *metres, point});
    }));
    return held_.status();
  }

  const types::SortedSet& points_;
  const types::GeoShape& shape_;
  const std::size_t limit_;
  HeldResult held_;
  std::vector<FoundPoint> found_;
};

}  // namespace

Result<std::vector<FoundPoint>> FindPoints(const types::SortedSet& points,
                                           const types::GeoShape& shape, std::size_t limit) {
  PointSearch search(points, shape, limit);
  for (const types::GeoCell& cell : types::CellsToSearch(shape)) {
    if (search.full()) break;
    MAYFLY_RETURN_IF_ERROR(search.Search(cell));
  }
  return std::move(search.found());
}

}  // namespace mayfly::server
