#include "engine/cluster/objects/testing/memory_objects.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cluster/objects/limits.h"

namespace mayfly::engine::cluster {

std::map<std::string, std::string> MemoryObjects::MapOf(const std::string& object) const {
  const std::lock_guard lock(mutex_);
  const auto place = maps_.find(object);
  return place == maps_.end() ? Map() : place->second;
}

std::vector<std::string> MemoryObjects::NamesOfPlainObjects() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : plain_) names.push_back(name);
  return names;
}

std::uint64_t MemoryObjects::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::uint64_t MemoryObjects::written_keys() const {
  const std::lock_guard lock(mutex_);
  return written_keys_;
}

MapPage MemoryObjects::Page(const std::string& object, const std::string& after,
                            std::size_t entries_max) const {
  const std::lock_guard lock(mutex_);
  MapPage page;
  const auto place = maps_.find(object);
  if (place == maps_.end()) return page;
  const Map& map = place->second;
  auto entry = map.upper_bound(after);
  for (; entry != map.end() && page.entries.size() < entries_max; ++entry) {
    page.entries.emplace_back(*entry);
  }
  page.more = entry != map.end();
  return page;
}

std::vector<std::string> MemoryObjects::Keys(const std::string& object,
                                             const std::vector<std::string>& keys) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> values(keys.size());
  const auto place = maps_.find(object);
  if (place == maps_.end()) return values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto entry = place->second.find(keys[i]);
    if (entry != place->second.end()) values[i] = entry->second;
  }
  return values;
}

Status MemoryObjects::Write(const std::string& object, const MapWrite& write) {
  const std::lock_guard lock(mutex_);
  const auto place = maps_.find(object);
  for (const MapCondition& condition : write.conditions) {
    std::string found;
    if (place != maps_.end()) {
      const auto entry = place->second.find(condition.key);
      if (entry != place->second.end()) found = entry->second;
    }
    if (found != condition.expected) return Status::Conflict("a key has other bytes");
  }
  Map& map = maps_[object];
  for (const std::string& key : write.removals) map.erase(key);
  for (const auto& [key, value] : write.sets) map[key] = value;
  ++writes_;
  written_keys_ += write.removals.size() + write.sets.size();
  return {};
}

void MemoryObjects::WritePlain(const std::string& object, std::string bytes) {
  const std::lock_guard lock(mutex_);
  plain_[object] = std::move(bytes);
}

Result<std::string> MemoryObjects::Plain(const std::string& object) const {
  const std::lock_guard lock(mutex_);
  const auto place = plain_.find(object);
  if (place == plain_.end()) return Status::NotFound();
  return place->second;
}

void MemoryObjects::RemovePlain(const std::string& object) {
  const std::lock_guard lock(mutex_);
  plain_.erase(object);
}

MemoryObjectStore::MemoryObjectStore(std::shared_ptr<MemoryObjects> objects)
    : objects_(std::move(objects)), thread_([this] { Run(); }) {}

MemoryObjectStore::~MemoryObjectStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // What waits now was stalled: its sender goes, and it never happens.
  for (Waiting& waiting : queue_) waiting.task(Fate::kRequestIsLost);
}

void MemoryObjectStore::SetFate(Judge judge) {
  const std::lock_guard lock(mutex_);
  judge_ = std::move(judge);
}

void MemoryObjectStore::Stall() {
  const std::lock_guard lock(mutex_);
  stalled_ = true;
}

void MemoryObjectStore::Resume() {
  {
    const std::lock_guard lock(mutex_);
    stalled_ = false;
  }
  changed_.notify_all();
}

std::size_t MemoryObjectStore::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void MemoryObjectStore::LandLate() {
  std::vector<std::function<void()>> late;
  {
    const std::lock_guard lock(mutex_);
    late.swap(late_);
  }
  for (const auto& act : late) act();
}

Status MemoryObjectStore::ErrorOf(Fate fate) {
  return fate == Fate::kRefused ? Status::IoError("refused by a test")
                                : Status::Busy("no reply in time");
}

void MemoryObjectStore::Add(Request request, const std::string& object, Task task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({request, object, std::move(task)});
  }
  changed_.notify_all();
}

void MemoryObjectStore::AddWrite(Request request, const std::string& object,
                                 std::function<Status()> act, Done done) {
  Add(request, object, [this, act = std::move(act), done = std::move(done)](Fate fate) {
    if (fate == Fate::kComesLate) {
      const std::lock_guard lock(mutex_);
      late_.push_back([act] { static_cast<void>(act()); });
    }
    const bool happens = fate == Fate::kHappens || fate == Fate::kReplyIsLost;
    const Status status = happens ? act() : Status();
    done(fate == Fate::kHappens ? status : ErrorOf(fate));
  });
}

void MemoryObjectStore::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || (!stalled_ && !queue_.empty()); });
    if (stalled_ || queue_.empty()) {
      if (stopping_) return;
      continue;
    }
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    const Judge judge = judge_;
    lock.unlock();
    next.task(judge ? judge(next.request, next.object) : Fate::kHappens);
    next = {};
    lock.lock();
  }
}

void MemoryObjectStore::ReadMapPage(const std::string& object, const std::string& after,
                                    std::size_t entries_max, Reply<MapPage> reply) {
  MAYFLY_CHECK(entries_max > 0 && entries_max <= kMapPageMax, "a page of a bad length");
  Add(Request::kReadMap, object, [this, object, after, entries_max, reply](Fate fate) {
    if (fate != Fate::kHappens) return reply(ErrorOf(fate));
    reply(objects_->Page(object, after, entries_max));
  });
}

void MemoryObjectStore::ReadMapKeys(const std::string& object, std::vector<std::string> keys,
                                    Reply<std::vector<std::string>> reply) {
  Add(Request::kReadMap, object, [this, object, keys = std::move(keys), reply](Fate fate) {
    if (fate != Fate::kHappens) return reply(ErrorOf(fate));
    reply(objects_->Keys(object, keys));
  });
}

void MemoryObjectStore::WriteMap(const std::string& object, std::shared_ptr<const MapWrite> write,
                                 Done done) {
  AddWrite(
      Request::kWriteMap, object,
      [objects = objects_, object, write] { return objects->Write(object, *write); },
      std::move(done));
}

void MemoryObjectStore::WriteObject(const std::string& object, std::string bytes, Done done) {
  MAYFLY_CHECK(bytes.size() <= kPlainObjectBytesMax, "an object is too large");
  const auto shared = std::make_shared<const std::string>(std::move(bytes));
  AddWrite(
      Request::kWriteObject, object,
      [objects = objects_, object, shared] {
        objects->WritePlain(object, *shared);
        return Status();
      },
      std::move(done));
}

void MemoryObjectStore::ReadObject(const std::string& object, Reply<std::string> reply) {
  Add(Request::kReadObject, object, [this, object, reply](Fate fate) {
    if (fate != Fate::kHappens) return reply(ErrorOf(fate));
    reply(objects_->Plain(object));
  });
}

void MemoryObjectStore::RemoveObject(const std::string& object, Done done) {
  AddWrite(
      Request::kRemoveObject, object,
      [objects = objects_, object] {
        objects->RemovePlain(object);
        return Status();
      },
      std::move(done));
}

}  // namespace mayfly::engine::cluster
