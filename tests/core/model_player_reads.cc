#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/printable.h"
#include "tests/core/model_player.h"

namespace mayfly::core::suite {
namespace {

constexpr std::size_t kSnapshotsMax = 4;

std::string Shown(const Result<std::string>& value) {
  return value ? fmt::format("'{}' {} bytes", Printable(*value), value->size())
               : std::string(StatusCodeName(value.status().code()));
}

std::vector<std::pair<WallTime, std::string>> ByDeadline(const ModelRows& living,
                                                         const DeadlineWindow& window) {
  std::vector<std::pair<WallTime, std::string>> entries;
  for (const auto& [key, row] : living) {
    if (!row.deadline || *row.deadline < window.begin || *row.deadline >= window.end) continue;
    entries.emplace_back(*row.deadline, key);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

ModelPlayer::Place ModelPlayer::AnyPlace() {
  const std::string name = inputs_.ExistingKeyspace();
  const ModelKeyspace& keyspace = model_.keyspaces.at(name);
  const std::uint64_t draw = random_.Below(4);
  if (draw == 0 && !transactions_.empty()) {
    const std::size_t i = random_.Below(transactions_.size());
    OpenTransaction& open = transactions_[i];
    open.model.Use(keyspace.id);
    return {name,
            &open.real->In(Handle(name)),
            open.model.View(keyspace.id),
            open.model.Past(keyspace.id),
            open.model.now(),
            &open,
            false,
            fmt::format("transaction {}, {}", i, name)};
  }
  if (draw == 1 && !snapshots_.empty()) {
    const std::size_t i = random_.Below(snapshots_.size());
    KeptSnapshot& kept = snapshots_[i];
    return {name,
            &kept.real->In(Handle(name)),
            Living(kept.states[keyspace.id].stored, kept.now),
            kept.states[keyspace.id].past,
            kept.now,
            nullptr,
            false,
            fmt::format("snapshot {}, {}", i, name)};
  }
  return {name,          &Handle(name), Living(keyspace.stored, model_.now),
          keyspace.past, model_.now,    nullptr,
          true,          name};
}

void ModelPlayer::Looked(const Place& place, const std::string& key) {
  if (place.plain) model_.MeetOnRead(place.keyspace, key);
  if (place.transaction == nullptr) return;
  place.transaction->model.Touch(model_.keyspaces.at(place.keyspace).id, key);
}

void ModelPlayer::Get() {
  const Place place = AnyPlace();
  const std::string key = inputs_.Key();
  const std::uint64_t way = random_.Below(5);
  constexpr std::array kWays{"get", "get pinned", "get row", "exists", "ttl"};
  Record(fmt::format("{}: {} '{}'", place.name, kWays[way], Printable(key)));
  const auto row = place.living.find(key);
  const bool there = row != place.living.end();
  const StatusCode code = key.empty() ? StatusCode::kInvalid
                          : there     ? StatusCode::kOk
                                      : StatusCode::kNotFound;
  switch (way) {
    case 0: {
      const auto value = place.reader->Get(key);
      ExpectCode("the get", value.status(), code);
      if (value && there) ExpectSame("the value", Printable(*value), Printable(row->second.value));
      break;
    }
    case 1: {
      PinnedBytes value;
      ExpectCode("the get", place.reader->Get(key, value), code);
      ExpectSame("the value", Printable(value.view()), there ? Printable(row->second.value) : "");
      break;
    }
    case 2: {
      const auto found = place.reader->GetRow(key);
      ExpectCode("the get", found.status(), code);
      if (found && there) {
        ExpectSame("the row", Shown(key, found->value, found->deadline, found->timestamp),
                   Shown(key, row->second));
      }
      break;
    }
    case 3: {
      const auto exists = place.reader->Exists(key);
      ExpectCode("the question", exists.status(), key.empty() ? code : StatusCode::kOk);
      ExpectSame("its answer", exists.value_or(false), there);
      break;
    }
    default: {
      const auto ttl = place.reader->Ttl(key);
      ExpectCode("the question", ttl.status(), code);
      if (!ttl || !there) break;
      const Millis expected = row->second.deadline ? *row->second.deadline - place.now : kForever;
      ExpectSame("the ttl", ttl->count(), expected.count());
    }
  }
  Looked(place, key);
}

void ModelPlayer::MultiGet() {
  const Place place = AnyPlace();
  std::vector<std::string> keys(random_.Between(1, 20));
  for (std::string& key : keys) key = inputs_.Key();
  Record(fmt::format("{}: multi-get of {} keys", place.name, keys.size()));
  const std::vector<Bytes> views(keys.begin(), keys.end());
  const auto values = place.reader->MultiGet(views);
  if (!values) return Differ("the multi-get gave " + values.status().ToString());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto row = place.living.find(keys[i]);
    const Result<std::string> expected = keys[i].empty() ? Result<std::string>(Status::Invalid(""))
                                         : row != place.living.end()
                                             ? Result<std::string>(row->second.value)
                                             : Result<std::string>(Status::NotFound());
    ExpectSame("the answer for '" + Printable(keys[i]) + "'", Shown((*values)[i]), Shown(expected));
    Looked(place, keys[i]);
  }
}

void ModelPlayer::Count() {
  const Place place = AnyPlace();
  Record(place.name + ": count");
  const auto count = place.reader->Count();
  ExpectCode("the count", count.status(), StatusCode::kOk);
  ExpectSame<std::uint64_t>("the count", count.value_or(0), place.living.size());
}

bool ModelPlayer::CanAnswer(const Place& place, WallTime as_of) const {
  const ModelKeyspace& keyspace = model_.keyspaces.at(place.keyspace);
  return keyspace.by_timestamp() && as_of >= place.now - keyspace.policy.history;
}

void ModelPlayer::GetAsOf() {
  const Place place = AnyPlace();
  const KeyspacePolicy& policy = model_.keyspaces.at(place.keyspace).policy;
  if (policy.order == RowOrder::kArrival && !random_.OneIn(20)) return;
  const std::string key = inputs_.Key();
  const WallTime as_of = inputs_.AsOf(policy, place.now);
  Record(fmt::format("{}: get '{}' as of {}", place.name, Printable(key), ToMs(as_of)));
  const ModelRows rows = AsOf(place.past, as_of, place.now);
  const auto row = rows.find(key);
  const bool there = row != rows.end();
  const auto found = place.reader->GetAsOf(key, as_of);
  ExpectCode("the get", found.status(),
             key.empty() || !CanAnswer(place, as_of) ? StatusCode::kInvalid
             : there                                 ? StatusCode::kOk
                                                     : StatusCode::kNotFound);
  if (!found || !there) return;
  ExpectSame("the row", Shown(key, found->value, found->deadline, found->timestamp),
             Shown(key, row->second));
}

// Compares the keyspace as of `as_of`, both ways.
void ModelPlayer::ComparePast(const KeyspaceReader& reader, const ModelPast& past, WallTime as_of,
                              WallTime now, const std::string& name) {
  const auto cursor = reader.NewCursor({.as_of = as_of});
  ExpectCode("the cursor over the past of " + name, cursor.status(), StatusCode::kOk);
  if (!cursor) return;
  const ModelRows rows = AsOf(past, as_of, now);
  const std::string what = fmt::format("the row of {} as of {}", name, ToMs(as_of));
  (*cursor)->SeekToFirst();
  for (auto at = rows.begin(); at != rows.end() && !differs(); ++at, (*cursor)->Next()) {
    ExpectSame(what, Shown(**cursor), Shown(at->first, at->second));
  }
  if (differs()) return;
  ExpectSame(what, Shown(**cursor), std::string("(end)"));
  (*cursor)->SeekToLast();
  for (auto at = rows.rbegin(); at != rows.rend() && !differs(); ++at, (*cursor)->Prev()) {
    ExpectSame(what, Shown(**cursor), Shown(at->first, at->second));
  }
}

void ModelPlayer::ScanDeadlines() {
  const Place place = AnyPlace();
  DeadlineWindow window{.rows_max = random_.Between(1, 30)};
  if (random_.OneIn(2)) window.begin = inputs_.InstantNearNow();
  if (random_.OneIn(2)) window.end = inputs_.InstantNearNow();
  Record(fmt::format("{}: scan deadlines from {} to {}, {} at a time", place.name,
                     ToMs(window.begin), ToMs(window.end), window.rows_max));
  const bool reversed = window.end < window.begin;
  const auto expected = ByDeadline(place.living, window);
  std::size_t seen = 0;
  for (;;) {
    const auto page = place.reader->ScanDeadlines(window);
    ExpectCode("the scan", page.status(), reversed ? StatusCode::kInvalid : StatusCode::kOk);
    if (!page || differs()) return;
    const std::size_t size = std::min(window.rows_max, expected.size() - seen);
    ExpectSame("the page's size", page->size(), size);
    for (std::size_t i = 0; i < size && !differs(); ++i, ++seen) {
      ExpectSame("the entry's key", Printable((*page)[i].key), Printable(expected[seen].second));
      ExpectSame("its deadline", ToMs((*page)[i].deadline), ToMs(expected[seen].first));
    }
    if (page->empty() || differs()) return;
    window.after = page->back();
  }
}

void ModelPlayer::Forecast() {
  const Place place = AnyPlace();
  const ForecastOptions options{.bucket = Millis(random_.Between(1, 60)),
                                .buckets = random_.OneIn(30) ? 0 : random_.Between(1, 20),
                                .with_bytes = random_.OneIn(2)};
  Record(fmt::format("{}: forecast {} buckets of {} ms", place.name, options.buckets,
                     options.bucket.count()));
  const auto forecast = place.reader->Forecast(options);
  const bool good = options.buckets > 0;
  ExpectCode("the forecast", forecast.status(), good ? StatusCode::kOk : StatusCode::kInvalid);
  if (!forecast || differs()) return;
  ExpectSame("the number of buckets", forecast->size(), options.buckets);
  WallTime begin = place.now;
  for (std::size_t i = 0; i < forecast->size() && !differs(); ++i, begin += options.bucket) {
    std::uint64_t bytes = 0;
    const auto dying = ByDeadline(place.living, {.begin = begin, .end = begin + options.bucket});
    for (const auto& [deadline, key] : dying) {
      bytes += key.size() + place.living.find(key)->second.value.size();
    }
    const ForecastBucket& bucket = (*forecast)[i];
    ExpectSame("the bucket's begin", ToMs(bucket.begin), ToMs(begin));
    ExpectSame("the bucket's end", ToMs(bucket.end), ToMs(begin + options.bucket));
    ExpectSame<std::uint64_t>("the bucket's rows", bucket.rows, dying.size());
    ExpectSame<std::uint64_t>("the bucket's bytes", bucket.bytes, options.with_bytes ? bytes : 0);
  }
}

void ModelPlayer::OpenSnapshot() {
  if (snapshots_.size() == kSnapshotsMax) return;
  Record(fmt::format("open snapshot {}", snapshots_.size()));
  auto snapshot = database_->NewSnapshot();
  if (!snapshot) return Differ("no snapshot: " + snapshot.status().ToString());
  ExpectSame("the snapshot's instant", ToMs((*snapshot)->now()), ToMs(model_.now));
  snapshots_.push_back({*std::move(snapshot), model_.States(), model_.now});
}

void ModelPlayer::VerifySnapshot() {
  if (snapshots_.empty()) return;
  const std::size_t i = random_.Below(snapshots_.size());
  Record(fmt::format("verify snapshot {}", i));
  KeptSnapshot& kept = snapshots_[i];
  for (const auto& [name, keyspace] : model_.keyspaces) {
    const std::string shown = fmt::format("snapshot {}, {}", i, name);
    const KeyspaceReader& reader = kept.real->In(Handle(name));
    const ModelState& then = kept.states[keyspace.id];
    CompareRows(reader, Living(then.stored, kept.now), shown);
    if (!keyspace.by_timestamp()) continue;
    ComparePast(reader, then.past, kept.now - keyspace.policy.history, kept.now, shown);
  }
}

void ModelPlayer::ReleaseSnapshot() {
  if (snapshots_.empty()) return;
  const std::size_t i = random_.Below(snapshots_.size());
  Record(fmt::format("release snapshot {}", i));
  snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(i));
}

void ModelPlayer::CompareRows(const KeyspaceReader& reader, const ModelRows& living,
                              const std::string& name) {
  const auto count = reader.Count();
  ExpectCode("the count", count.status(), StatusCode::kOk);
  ExpectSame<std::uint64_t>("the count of " + name, count.value_or(0), living.size());
  const auto cursor = reader.NewCursor();
  ExpectCode("the cursor", cursor.status(), StatusCode::kOk);
  if (!cursor) return;
  (*cursor)->SeekToFirst();
  for (const auto& [key, row] : living) {
    ExpectSame("the row of " + name, Shown(**cursor), Shown(key, row));
    if (differs()) return;
    (*cursor)->Next();
  }
  ExpectSame("the end of " + name, Shown(**cursor), std::string("(end)"));
}

}  // namespace mayfly::core::suite
