#include "core/reads/history_cursor.h"

#include <algorithm>

#include "core/layout/version_codec.h"

namespace mayfly::core {
Result<std::unique_ptr<Cursor>> HistoryCursor::Open(const View& frozen,
                                                    const CursorOptions& options) {
  const KeyspaceId id = frozen.keyspace.id();
  MAYFLY_TRY(RowBounds bounds, RowBounds::Of(id, options));
  const engine::CursorOptions over_rows{.range = {bounds.begin, bounds.end},
                                        .snapshot = frozen.snapshot};
  MAYFLY_TRY(auto rows, frozen.store.engine().NewCursor({engine::Role::kRows}, over_rows));
  // All members of the keyspace: each is checked against the bounds of user keys.
  const std::string begin = KeyspaceBegin(id);
  const std::string end = KeyspaceEnd(id);
  const engine::CursorOptions over_members{.range = {begin, end}, .snapshot = frozen.snapshot};
  MAYFLY_TRY(auto members, frozen.store.engine().NewCursor({engine::Role::kMembers}, over_members));
  return std::unique_ptr<Cursor>(
      new HistoryCursor(frozen, options, std::move(bounds), std::move(rows), std::move(members)));
}

HistoryCursor::HistoryCursor(View frozen, const CursorOptions& options, RowBounds bounds,
                             std::unique_ptr<engine::Cursor> rows,
                             std::unique_ptr<engine::Cursor> members)
    : keyspace_(frozen.keyspace.shared_from_this()),
      view_(std::move(frozen)),
      as_of_(*options.as_of),
      filter_(options.filter),
      bounds_(std::move(bounds)),
      rows_(std::move(rows)),
      members_(std::move(members)) {
  view_.lent.reset();
}

void HistoryCursor::SeekToFirst() { FindForward(UserKeyOf(bounds_.begin)); }
void HistoryCursor::SeekToLast() { FindBackward(UserKeyOfEnd(), /*with=*/false); }
void HistoryCursor::SeekAtOrAfter(Bytes target) {
  FindForward(std::max(target, UserKeyOf(bounds_.begin)));
}
void HistoryCursor::SeekAtOrBefore(Bytes target) {
  const auto end = UserKeyOfEnd();
  if (end && target >= Bytes(*end)) return FindBackward(end, /*with=*/false);
  FindBackward(std::string(target), /*with=*/true);
}
void HistoryCursor::Next() { FindForward(key_ + '\0'); }
void HistoryCursor::Prev() { FindBackward(key_, /*with=*/false); }

void HistoryCursor::FindForward(Bytes from) {
  row_.reset();
  status_ = Status();
  auto named = FirstNamed(std::string(from));
  while (named && !Take(*named)) named = FirstNamed(*named + '\0');
}

void HistoryCursor::FindBackward(const std::optional<std::string>& from, bool with) {
  row_.reset();
  status_ = Status();
  auto named = LastNamed(from, with);
  while (named && !Take(*named)) named = LastNamed(named, /*with=*/false);
}

// Nothing: at the end of the keyspace.
std::optional<std::string> HistoryCursor::UserKeyOfEnd() const {
  if (bounds_.end == KeyspaceEnd(view_.keyspace.id())) return std::nullopt;
  return std::string(UserKeyOf(bounds_.end));
}

std::optional<std::string> HistoryCursor::FirstNamed(const std::string& from) {
  std::optional<std::string> first;
  rows_->SeekAtOrAfter(RowKey(view_.keyspace.id(), from));
  if (rows_->Valid()) first = std::string(UserKeyOf(rows_->key()));
  members_->SeekAtOrAfter(RowKey(view_.keyspace.id(), VersionKeysBegin(from)));
  const auto member = KeyOfMember();
  if (member && (!first || *member < *first)) first = member;
  if (!Good() || !first || Bytes(RowKey(view_.keyspace.id(), *first)) >= Bytes(bounds_.end)) {
    return std::nullopt;
  }
  return first;
}

std::optional<std::string> HistoryCursor::LastNamed(const std::optional<std::string>& from,
                                                    bool with) {
  std::optional<std::string> last;
  const KeyspaceId id = view_.keyspace.id();
  if (!from) {
    rows_->SeekToLast();
    members_->SeekToLast();
  } else {
    rows_->SeekAtOrBefore(RowKey(id, *from));
    if (!with && rows_->Valid() && UserKeyOf(rows_->key()) == *from) rows_->Prev();
    // No member's key equals the prefix of all member keys of a user key.
    members_->SeekAtOrBefore(RowKey(id, with ? VersionKeysEnd(*from) : VersionKeysBegin(*from)));
  }
  if (rows_->Valid()) last = std::string(UserKeyOf(rows_->key()));
  const auto member = KeyOfMember();
  if (member && (!last || *member > *last)) last = member;
  if (!Good() || !last || Bytes(RowKey(id, *last)) < Bytes(bounds_.begin)) return std::nullopt;
  return last;
}

// The user's key of the current member.
std::optional<std::string> HistoryCursor::KeyOfMember() {
  if (!members_->Valid()) return std::nullopt;
  auto key = UserKeyOfMember(UserKeyOf(members_->key()));
  if (!key) {
    status_ = Status::Corruption("the key of a version is damaged; run a check of the database");
  }
  return key;
}

bool HistoryCursor::Good() {
  if (status_.ok()) status_ = rows_->status();
  if (status_.ok()) status_ = members_->status();
  return status_.ok();
}

// True ends the search: a row was found, or reading failed.
bool HistoryCursor::Take(const std::string& key) {
  status_ = FindAsOf(view_, key, as_of_, pin_, row_);
  if (!status_.ok()) row_.reset();
  if (row_ && !PassesFilter(row_->deadline, filter_)) row_.reset();
  if (row_) key_ = key;
  return row_.has_value() || !status_.ok();
}

}  // namespace mayfly::core
