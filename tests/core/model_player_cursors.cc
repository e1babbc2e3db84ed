#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "tests/core/model_player.h"

namespace mayfly::core::suite {
namespace {

constexpr std::size_t kCursorsMax = 3;
constexpr std::size_t kWalkMovesMax = 20;

bool Fits(const std::string& key, const ModelRow& row, const CursorOptions& options) {
  if (!key.starts_with(options.prefix) || key < options.begin) return false;
  if (!options.end.empty() && key >= options.end) return false;
  return options.filter == RowFilter::kAll ||
         (options.filter == RowFilter::kMortal) == row.deadline.has_value();
}

}  // namespace

std::string Shown(Bytes key, Bytes value, std::optional<WallTime> deadline,
                  std::optional<WallTime> timestamp) {
  return fmt::format("'{}' -> '{}' {} bytes, hash {}, deadline {}, timestamp {}", Printable(key),
                     Printable(value, 8), value.size(), std::hash<Bytes>()(value),
                     deadline ? ToMs(*deadline) : -1, timestamp ? ToMs(*timestamp) : -1);
}

std::string Shown(const std::string& key, const ModelRow& row) {
  return Shown(key, row.value, row.deadline, row.timestamp);
}

std::string Shown(const Cursor& cursor) {
  if (!cursor.Valid()) return cursor.status().ok() ? "(end)" : cursor.status().ToString();
  return Shown(cursor.key(), cursor.value(), cursor.deadline(), cursor.timestamp());
}

std::optional<ModelPlayer::OpenCursor> ModelPlayer::AnyCursor(const Place& place) {
  const std::string prefix = inputs_.Prefix();
  const std::string begin = inputs_.Prefix();
  const std::string end = inputs_.Prefix();
  const KeyspacePolicy& policy = model_.keyspaces.at(place.keyspace).policy;
  CursorOptions options{.prefix = prefix,
                        .begin = begin,
                        .end = end,
                        .filter = static_cast<RowFilter>(random_.Below(3))};
  if (policy.order == RowOrder::kTimestamp ? random_.OneIn(2) : random_.OneIn(50)) {
    options.as_of = inputs_.AsOf(policy, place.now);
  }
  Record(fmt::format("{}: walk '{}*' from '{}' to '{}', filter {}, as of {}", place.name,
                     Printable(prefix), Printable(begin), Printable(end),
                     static_cast<int>(options.filter), options.as_of ? ToMs(*options.as_of) : 0));
  auto cursor = place.reader->NewCursor(options);
  const bool reversed = !begin.empty() && !end.empty() && end < begin;
  const bool good = !reversed && (!options.as_of || CanAnswer(place, *options.as_of));
  ExpectCode("the cursor", cursor.status(), good ? StatusCode::kOk : StatusCode::kInvalid);
  if (!cursor) return std::nullopt;
  OpenCursor open{*std::move(cursor), {}, {}};
  const ModelRows shown =
      options.as_of ? AsOf(place.past, *options.as_of, place.now) : place.living;
  for (const auto& row : shown) {
    if (Fits(row.first, row.second, options)) open.rows.emplace_back(row);
  }
  ExpectSame("the cursor before a seek", open.real->Valid(), false);
  return open;
}

void ModelPlayer::Walk() {
  auto cursor = AnyCursor(AnyPlace());
  if (!cursor) return;
  for (std::uint64_t i = random_.Between(1, kWalkMovesMax); i > 0 && !differs(); --i) {
    if (random_.OneIn(10)) Write();  // A cursor stays as it is.
    if (random_.OneIn(15)) WriteInTransaction();
    MoveAndCompare(*cursor);
  }
}

// Keeps a cursor open while much changes. In neither transaction nor snapshot: those must outlive
// their cursors.
void ModelPlayer::KeepCursor() {
  const Place place = AnyPlace();
  if (cursors_.size() == kCursorsMax || !place.plain) return;
  auto cursor = AnyCursor(place);
  if (cursor) cursors_.push_back(*std::move(cursor));
}

void ModelPlayer::MoveKeptCursor() {
  if (cursors_.empty()) return;
  const std::size_t i = random_.Below(cursors_.size());
  Record(fmt::format("move cursor {}", i));
  for (std::uint64_t moves = random_.Between(1, 5); moves > 0 && !differs(); --moves) {
    MoveAndCompare(cursors_[i]);
  }
}

void ModelPlayer::ReleaseCursor() {
  if (cursors_.empty()) return;
  const std::size_t i = random_.Below(cursors_.size());
  Record(fmt::format("release cursor {}", i));
  cursors_.erase(cursors_.begin() + static_cast<std::ptrdiff_t>(i));
}

void ModelPlayer::MoveAndCompare(OpenCursor& open) {
  Cursor& cursor = *open.real;
  const RowList& rows = open.rows;
  std::optional<std::size_t>& at = open.at;
  const auto stand = [&](std::size_t index) {
    at = index < rows.size() ? std::optional(index) : std::nullopt;
  };
  const std::string target = inputs_.Key();
  const auto after = std::lower_bound(rows.begin(), rows.end(), target,
                                      [](const auto& row, const auto& t) { return row.first < t; });
  const auto index = static_cast<std::size_t>(after - rows.begin());
  const bool hits = index < rows.size() && rows[index].first == target;
  std::uint64_t move = random_.Below(12);
  if (move >= 4 && !at) move %= 4;
  std::string name;
  if (move == 0) {
    name = "first";
    cursor.SeekToFirst();
    stand(0);
  } else if (move == 1) {
    name = "last";
    cursor.SeekToLast();
    stand(rows.size() - 1);  // Without rows: invalid.
  } else if (move == 2) {
    name = "at or after " + Printable(target);
    cursor.SeekAtOrAfter(target);
    stand(index);
  } else if (move == 3) {
    name = "at or before " + Printable(target);
    cursor.SeekAtOrBefore(target);
    stand(hits ? index : index - 1);
  } else if (move < 8) {
    name = "next";
    cursor.Next();
    stand(*at + 1);
  } else {
    name = "prev";
    cursor.Prev();
    stand(*at - 1);
  }
  const std::string expected = at ? Shown(rows[*at].first, rows[*at].second) : "(end)";
  ExpectSame("the cursor after '" + name + "'", Shown(cursor), expected);
}

}  // namespace mayfly::core::suite
