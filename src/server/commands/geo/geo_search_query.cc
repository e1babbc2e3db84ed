#include "server/commands/geo/geo_search_query.h"

#include <fmt/format.h>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/geo/geo_arguments.h"

namespace mayfly::server {
namespace {

using types::GeoShape;
using Centre = GeoSearchForm::Centre;

// Takes arguments off the front, and fills the query.
class GeoQueryReader {
 public:
  GeoQueryReader(const Call& call, const GeoSearchForm& form, const types::SortedSet& points)
      : call_(call), form_(form), points_(points), rest_(call.args.subspan(form.stores ? 3 : 2)) {
    if (form.stores) query_.target = call.args[1];
  }

  Result<GeoQuery> Read() {
    MAYFLY_RETURN_IF_ERROR(ReadPlace());
    while (!rest_.empty()) MAYFLY_RETURN_IF_ERROR(ReadOption());
    MAYFLY_RETURN_IF_ERROR(CheckOptions());
    // So many of the nearest, unless any will do.
    if (query_.count > 0 && !query_.any && query_.order == GeoOrder::kAsFound) {
      query_.order = GeoOrder::kNearestFirst;
    }
    return query_;
  }

 private:
  bool searches() const { return form_.centre == Centre::kOption; }

  // Whether the next argument is this word, with so many arguments behind it; if so, takes it.
  bool Take(std::string_view word, std::size_t behind = 0) {
    if (rest_.size() <= behind || !IsWord(rest_[0], word)) return false;
    rest_ = rest_.subspan(1);
    return true;
  }

  Bytes TakeOne() {
    const Bytes one = rest_[0];
    rest_ = rest_.subspan(1);
    return one;
  }

  // GEORADIUS and GEORADIUSBYMEMBER: centre, radius and unit are the first arguments.
  Status ReadPlace() {
    if (form_.centre == Centre::kOption) return {};
    MAYFLY_RETURN_IF_ERROR(form_.centre == Centre::kPoint ? ReadPoint() : ReadMember());
    // Redis does not look at the radius of a member that cannot be.
    if (form_.centre == Centre::kMember && points_.empty()) {
      rest_ = rest_.subspan(2);
      return {};
    }
    return ReadCircle();
  }

  Status ReadPoint() {
    const Bytes longitude = TakeOne();
    MAYFLY_TRY(query_.shape.centre, PointArgument(longitude, TakeOne()));
    return {};
  }

  Status ReadMember() {
    const Bytes name = TakeOne();
    if (points_.empty()) return {};
    MAYFLY_TRY(const auto score, points_.Score(name));
    if (!score) return Status::Invalid("could not decode requested zset member");
    query_.shape.centre = types::PointOfScore(*score);
    return {};
  }

  Status ReadCircle() {
    GeoShape& shape = query_.shape;
    shape.kind = GeoShape::Kind::kCircle;
    MAYFLY_TRY(shape.radius, NumericArgument(TakeOne(), "radius"));
    if (shape.radius < 0) return Status::Invalid("radius cannot be negative");
    MAYFLY_TRY(shape.unit_metres, UnitArgument(TakeOne()));
    return {};
  }

  Status ReadBox() {
    GeoShape& shape = query_.shape;
    shape.kind = GeoShape::Kind::kBox;
    MAYFLY_TRY(shape.width, NumericArgument(TakeOne(), "width"));
    MAYFLY_TRY(shape.height, NumericArgument(TakeOne(), "height"));
    if (shape.width < 0 || shape.height < 0) {
      return Status::Invalid("height or width cannot be negative");
    }
    MAYFLY_TRY(shape.unit_metres, UnitArgument(TakeOne()));
    return {};
  }

  Status ReadCount() {
    MAYFLY_TRY(query_.count, IntegerArgument(TakeOne()));
    if (query_.count <= 0) return Status::Invalid("COUNT must be > 0");
    return {};
  }

  // Words alone.
  bool TakeWord() {
    if (Take("withdist")) return query_.with_distance = true;
    if (Take("withhash")) return query_.with_score = true;
    if (Take("withcoord")) return query_.with_point = true;
    if (Take("any")) return query_.any = true;
    const bool nearest = Take("asc");
    if (!nearest && !Take("desc")) return false;
    query_.order = nearest ? GeoOrder::kNearestFirst : GeoOrder::kFarthestFirst;
    return true;
  }

  bool TakeTarget() {
    if (form_.stores && Take("storedist")) return query_.store_distances = true;
    if (!form_.may_store) return false;
    const bool points = Take("store", 1);
    if (!points && !Take("storedist", 1)) return false;
    query_.store_distances = !points;
    query_.target = TakeOne();
    return true;
  }

  Status ReadOption() {
    if (TakeWord()) return {};
    if (Take("count", 1)) return ReadCount();
    if (TakeTarget()) return {};
    if (!searches()) return SyntaxError();
    if (!from_point_ && Take("frommember", 1)) {
      from_member_ = true;
      return ReadMember();
    }
    if (!from_member_ && Take("fromlonlat", 2)) {
      from_point_ = true;
      return ReadPoint();
    }
    if (!box_ && Take("byradius", 2)) {
      circle_ = true;
      return ReadCircle();
    }
    if (!circle_ && Take("bybox", 3)) {
      box_ = true;
      return ReadBox();
    }
    return SyntaxError();
  }

  Status CheckOptions() const {
    if (query_.target && (query_.with_distance || query_.with_score || query_.with_point)) {
      return Status::Invalid(
          fmt::format("{} is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
                      form_.stores ? "GEOSEARCHSTORE" : "STORE option in GEORADIUS"));
    }
    if (searches() && !from_member_ && !from_point_) {
      return Status::Invalid(fmt::format(
          "exactly one of FROMMEMBER or FROMLONLAT can be specified for {}", call_.args[0]));
    }
    if (searches() && !circle_ && !box_) {
      return Status::Invalid(
          fmt::format("exactly one of BYRADIUS and BYBOX can be specified for {}", call_.args[0]));
    }
    if (query_.any && query_.count == 0) {
      return Status::Invalid("the ANY argument requires COUNT argument");
    }
    return {};
  }

  const Call& call_;
  const GeoSearchForm& form_;
  const types::SortedSet& points_;
  std::span<const Bytes> rest_;
  GeoQuery query_;
  bool from_member_ = false;
  bool from_point_ = false;
  bool circle_ = false;
  bool box_ = false;
};

}  // namespace

Result<GeoQuery> ReadGeoQuery(const Call& call, const GeoSearchForm& form,
                              const types::SortedSet& points) {
  return GeoQueryReader(call, form, points).Read();
}

}  // namespace mayfly::server
