#include "engine/cluster/objects/await.h"

#include <future>
#include <utility>

namespace mayfly::engine::cluster {
namespace {

// Shared by the caller and the reply, which may come first.
template <typename T>
class Awaited {
 public:
  auto reply() const {
    return [promise = promise_](T answer) { promise->set_value(std::move(answer)); };
  }
  T Get() { return promise_->get_future().get(); }

 private:
  std::shared_ptr<std::promise<T>> promise_ = std::make_shared<std::promise<T>>();
};

}  // namespace

Result<MapPage> AwaitPage(ObjectStore& store, const std::string& object, const std::string& after,
                          std::size_t entries_max) {
  Awaited<Result<MapPage>> awaited;
  store.ReadMapPage(object, after, entries_max, awaited.reply());
  return awaited.Get();
}

Result<std::vector<std::string>> AwaitKeys(ObjectStore& store, const std::string& object,
                                           std::vector<std::string> keys) {
  Awaited<Result<std::vector<std::string>>> awaited;
  store.ReadMapKeys(object, std::move(keys), awaited.reply());
  return awaited.Get();
}

Status AwaitWrite(ObjectStore& store, const std::string& object,
                  std::shared_ptr<const MapWrite> write) {
  Awaited<Status> awaited;
  store.WriteMap(object, std::move(write), awaited.reply());
  return awaited.Get();
}

Status AwaitWriteObject(ObjectStore& store, const std::string& object, std::string bytes) {
  Awaited<Status> awaited;
  store.WriteObject(object, std::move(bytes), awaited.reply());
  return awaited.Get();
}

Result<std::string> AwaitObject(ObjectStore& store, const std::string& object) {
  Awaited<Result<std::string>> awaited;
  store.ReadObject(object, awaited.reply());
  return awaited.Get();
}

Status AwaitRemoval(ObjectStore& store, const std::string& object) {
  Awaited<Status> awaited;
  store.RemoveObject(object, awaited.reply());
  return awaited.Get();
}

}  // namespace mayfly::engine::cluster
