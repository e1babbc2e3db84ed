// memory_objects.h - a store of objects in memory, with the troubles of a network.
// MemoryObjects is the cluster; it outlives its clients, as a cluster does. Each MemoryObjectStore
// is the connection of one server: it has a thread, which carries out requests in their order and
// replies. A test says what becomes of a request by a function that is asked about each of them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/cluster/objects/object_store.h"

namespace mayfly::engine::cluster {

// Safe to call from any thread.
class MemoryObjects {
 public:
  // What the objects hold, for tests that look behind the store. Absent objects are empty.
  std::map<std::string, std::string> MapOf(const std::string& object) const;
  std::vector<std::string> NamesOfPlainObjects() const;

  // Writes of maps that happened, and how many keys they set or removed.
  std::uint64_t writes() const;
  std::uint64_t written_keys() const;

  MapPage Page(const std::string& object, const std::string& after, std::size_t entries_max) const;
  std::vector<std::string> Keys(const std::string& object,
                                const std::vector<std::string>& keys) const;
  Status Write(const std::string& object, const MapWrite& write);
  void WritePlain(const std::string& object, std::string bytes);
  Result<std::string> Plain(const std::string& object) const;
  void RemovePlain(const std::string& object);

 private:
  using Map = std::map<std::string, std::string>;

  mutable std::mutex mutex_;
  std::map<std::string, Map> maps_;
  std::map<std::string, std::string> plain_;
  std::uint64_t writes_ = 0;
  std::uint64_t written_keys_ = 0;
};

// What becomes of a request.
enum class Fate : std::uint8_t {
  kHappens,
  kReplyIsLost,    // It happens, and the reply is Busy.
  kRequestIsLost,  // It does not happen, and the reply is Busy.
  kComesLate,      // The reply is Busy, and it happens when LandLate() is called.
  kRefused,        // It does not happen, and the reply is IoError.
};

enum class Request : std::uint8_t { kReadMap, kWriteMap, kReadObject, kWriteObject, kRemoveObject };

class MemoryObjectStore final : public ObjectStore {
 public:
  using Judge = std::function<Fate(Request request, const std::string& object)>;

  explicit MemoryObjectStore(std::shared_ptr<MemoryObjects> objects);
  ~MemoryObjectStore() override;

  // Asked about every request from now on, on the store's thread.
  void SetFate(Judge judge);

  // Requests wait from now on, until Resume().
  void Stall();
  void Resume();

  // The number of requests that wait.
  std::size_t waiting() const;

  // Carries out what kComesLate has left behind. The replies are not given again.
  void LandLate();

  const std::string& name() const override { return name_; }
  void ReadMapPage(const std::string& object, const std::string& after, std::size_t entries_max,
                   Reply<MapPage> reply) override;
  void ReadMapKeys(const std::string& object, std::vector<std::string> keys,
                   Reply<std::vector<std::string>> reply) override;
  void WriteMap(const std::string& object, std::shared_ptr<const MapWrite> write,
                Done done) override;
  void WriteObject(const std::string& object, std::string bytes, Done done) override;
  void ReadObject(const std::string& object, Reply<std::string> reply) override;
  void RemoveObject(const std::string& object, Done done) override;

 private:
  // Carries a request out, or replies with an error in place of that.
  using Task = std::function<void(Fate fate)>;
  struct Waiting {
    Request request;
    std::string object;
    Task task;
  };

  void Add(Request request, const std::string& object, Task task);
  void AddWrite(Request request, const std::string& object, std::function<Status()> act, Done done);
  void Run();
  static Status ErrorOf(Fate fate);

  const std::string name_ = "objects in memory";
  const std::shared_ptr<MemoryObjects> objects_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;                // Guarded by mutex_, as all below.
  std::vector<std::function<void()>> late_;  // Requests that have not happened yet.
  Judge judge_;
  bool stalled_ = false;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace mayfly::engine::cluster
