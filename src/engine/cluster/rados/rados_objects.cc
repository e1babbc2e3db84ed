#include "engine/cluster/rados/rados_objects.h"

#include <fmt/format.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <rados/librados.hpp>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/owner_process.h"
#include "engine/cluster/objects/limits.h"

namespace mayfly::engine::cluster {
namespace {

using librados::bufferlist;

std::string StringOf(bufferlist& bytes) {
  return bytes.length() == 0 ? std::string() : std::string(bytes.c_str(), bytes.length());
}

bufferlist BufferOf(const std::string& bytes) {
  bufferlist buffer;
  buffer.append(bytes.data(), static_cast<unsigned>(bytes.size()));
  return buffer;
}

// What librados' negative error numbers mean to a caller.
Status StatusOf(int result, const std::string& object) {
  if (result >= 0) return {};
  switch (-result) {
    case ECANCELED: return Status::Conflict("a key has other bytes");
    case ENOENT: return Status::NotFound();
    // Given up, or the connection went: it may have happened.
    case ETIMEDOUT:
    case ESHUTDOWN:
    case ENOTCONN:
    case EAGAIN: return Status::Busy(fmt::format("{}: {}", object, std::strerror(-result)));
    default: return Status::IoError(fmt::format("{}: {}", object, std::strerror(-result)));
  }
}

// One request under way: librados fills its members, then calls it.
struct Call {
  virtual ~Call() = default;
  virtual void Finish(int result) = 0;

  librados::AioCompletion* completion = nullptr;
  std::string object;
};

class RadosObjectStore final : public ObjectStore {
 public:
  RadosObjectStore(std::unique_ptr<librados::Rados> cluster, librados::IoCtx io, std::string name)
      : cluster_(std::move(cluster)), io_(std::move(io)), name_(std::move(name)) {}

  ~RadosObjectStore() override {
    if (!owner_.IsThis()) {  // In a child made by fork(), which has none of librados' threads.
      Abandon(std::move(io_));
      Abandon(std::move(cluster_));
      return;
    }
    {
      std::unique_lock lock(mutex_);
      idle_.wait(lock, [this] { return under_way_ == 0; });
    }
    io_.close();
    cluster_->shutdown();
  }

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
  struct Ticket {
    RadosObjectStore* store;
    std::unique_ptr<Call> call;
  };

  static void OnComplete(librados::completion_t, void* argument) {
    const std::unique_ptr<Ticket> ticket(static_cast<Ticket*>(argument));
    Call& call = *ticket->call;
    call.Finish(call.completion->get_return_value());
    call.completion->release();
    ticket->call.reset();
    RadosObjectStore& store = *ticket->store;
    const std::lock_guard lock(store.mutex_);
    if (--store.under_way_ == 0) store.idle_.notify_all();
  }

  // Hands a request to librados by `send`, which returns 0 or an error.
  template <typename Send>
  void Start(std::unique_ptr<Call> call, const std::string& object, Send&& send) {
    {
      const std::lock_guard lock(mutex_);
      ++under_way_;
    }
    Call& started = *call;
    started.object = object;
    auto* const ticket = new Ticket{this, std::move(call)};
    started.completion = librados::Rados::aio_create_completion(ticket, &OnComplete);
    const int result = send(started.completion);
    MAYFLY_CHECK(result == 0, "librados refuses a request that is well formed");
  }

  void StartWrite(const std::string& object, librados::ObjectWriteOperation& operation, Done done);

  const OwnerProcess owner_;
  std::unique_ptr<librados::Rados> cluster_;
  librados::IoCtx io_;
  const std::string name_;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t under_way_ = 0;  // Guarded by mutex_.
};

struct WriteCall final : Call {
  explicit WriteCall(ObjectStore::Done its_done) : done(std::move(its_done)) {}
  void Finish(int result) override { done(StatusOf(result, object)); }

  const ObjectStore::Done done;
};

struct PageCall final : Call {
  void Finish(int result) override {
    if (result == -ENOENT) return reply(MapPage());
    if (result >= 0) result = part_result;
    if (result < 0) return reply(StatusOf(result, object));
    MapPage page;
    page.more = more;
    page.entries.reserve(found.size());
    for (auto& [key, value] : found) page.entries.emplace_back(key, StringOf(value));
    reply(std::move(page));
  }

  ObjectStore::Reply<MapPage> reply;
  std::map<std::string, bufferlist> found;
  bool more = false;
  int part_result = 0;
};

struct KeysCall final : Call {
  void Finish(int result) override {
    if (result >= 0) result = part_result;
    if (result < 0 && result != -ENOENT) return reply(StatusOf(result, object));
    std::vector<std::string> values;
    values.reserve(keys.size());
    for (const std::string& key : keys) {
      const auto place = found.find(key);
      values.push_back(place == found.end() ? std::string() : StringOf(place->second));
    }
    reply(std::move(values));
  }

  ObjectStore::Reply<std::vector<std::string>> reply;
  std::vector<std::string> keys;
  std::map<std::string, bufferlist> found;
  int part_result = 0;
};

struct ReadCall final : Call {
  void Finish(int result) override {
    if (result < 0) return reply(StatusOf(result, object));
    reply(StringOf(bytes));
  }

  ObjectStore::Reply<std::string> reply;
  bufferlist bytes;
};

void RadosObjectStore::ReadMapPage(const std::string& object, const std::string& after,
                                   std::size_t entries_max, Reply<MapPage> reply) {
  auto call = std::make_unique<PageCall>();
  call->reply = std::move(reply);
  librados::ObjectReadOperation operation;
  operation.omap_get_vals2(after, entries_max, &call->found, &call->more, &call->part_result);
  Start(std::move(call), object, [&](librados::AioCompletion* completion) {
    return io_.aio_operate(object, completion, &operation, nullptr);
  });
}

void RadosObjectStore::ReadMapKeys(const std::string& object, std::vector<std::string> keys,
                                   Reply<std::vector<std::string>> reply) {
  auto call = std::make_unique<KeysCall>();
  call->reply = std::move(reply);
  librados::ObjectReadOperation operation;
  operation.omap_get_vals_by_keys(std::set<std::string>(keys.begin(), keys.end()), &call->found,
                                  &call->part_result);
  call->keys = std::move(keys);
  Start(std::move(call), object, [&](librados::AioCompletion* completion) {
    return io_.aio_operate(object, completion, &operation, nullptr);
  });
}

void RadosObjectStore::StartWrite(const std::string& object,
                                  librados::ObjectWriteOperation& operation, Done done) {
  Start(std::make_unique<WriteCall>(std::move(done)), object,
        [&](librados::AioCompletion* completion) {
          return io_.aio_operate(object, completion, &operation);
        });
}

void RadosObjectStore::WriteMap(const std::string& object, std::shared_ptr<const MapWrite> write,
                                Done done) {
  librados::ObjectWriteOperation operation;
  // A condition on an object that is not there would be an error, whatever it says.
  operation.create(false);
  std::map<std::string, std::pair<bufferlist, int>> conditions;
  for (const auto& [key, expected] : write->conditions) {
    conditions[key] = {BufferOf(expected), LIBRADOS_CMPXATTR_OP_EQ};
  }
  if (!conditions.empty()) operation.omap_cmp(conditions, nullptr);
  if (!write->removals.empty()) {
    operation.omap_rm_keys({write->removals.begin(), write->removals.end()});
  }
  if (!write->sets.empty()) {
    std::map<std::string, bufferlist> sets;
    for (const auto& [key, value] : write->sets) sets[key] = BufferOf(value);
    operation.omap_set(sets);
  }
  StartWrite(object, operation, std::move(done));
}

void RadosObjectStore::WriteObject(const std::string& object, std::string bytes, Done done) {
  MAYFLY_CHECK(bytes.size() <= kPlainObjectBytesMax, "an object is too large");
  librados::ObjectWriteOperation operation;
  operation.write_full(BufferOf(bytes));
  StartWrite(object, operation, std::move(done));
}

void RadosObjectStore::ReadObject(const std::string& object, Reply<std::string> reply) {
  auto call = std::make_unique<ReadCall>();
  call->reply = std::move(reply);
  bufferlist* const bytes = &call->bytes;
  Start(std::move(call), object, [&](librados::AioCompletion* completion) {
    return io_.aio_read(object, completion, bytes, kPlainObjectBytesMax, 0);
  });
}

void RadosObjectStore::RemoveObject(const std::string& object, Done done) {
  librados::ObjectWriteOperation operation;
  operation.remove();
  StartWrite(object, operation, [done = std::move(done)](const Status& status) {
    done(status.IsNotFound() ? Status() : status);
  });
}

Status Failed(const RadosOptions& options, const char* doing, int result) {
  const std::string what =
      fmt::format("{} (configuration {}, user {}, pool {}): {}", doing, options.conf_file,
                  options.user, options.pool, std::strerror(-result));
  return result == -ETIMEDOUT ? Status::Busy(what) : Status::IoError(what);
}

}  // namespace

Result<std::shared_ptr<ObjectStore>> ConnectRados(const RadosOptions& options) {
  auto cluster = std::make_unique<librados::Rados>();
  if (const int result = cluster->init2(options.user.c_str(), "ceph", 0); result < 0) {
    return Failed(options, "Ceph's client did not start", result);
  }
  if (const int result = cluster->conf_read_file(options.conf_file.c_str()); result < 0) {
    return Failed(options, "Ceph's configuration cannot be read", result);
  }
  const std::string request = std::to_string(options.request_timeout.count());
  const std::string connect = std::to_string(options.connect_timeout.count());
  for (const auto& [name, value] :
       {std::pair{"rados_osd_op_timeout", &request}, std::pair{"rados_mon_op_timeout", &request},
        std::pair{"client_mount_timeout", &connect}}) {
    if (const int result = cluster->conf_set(name, value->c_str()); result < 0) {
      return Failed(options, "Ceph's client refuses a timeout", result);
    }
  }
  if (const int result = cluster->connect(); result < 0) {
    return Failed(options, "no monitor of Ceph lets us in", result);
  }
  librados::IoCtx io;
  const int result = cluster->ioctx_create(options.pool.c_str(), io);
  if (result == -ENOENT) {
    cluster->shutdown();
    return Status::NotFound(fmt::format(
        "Ceph has no pool '{}'; create it, replicated, with size 3 and min_size 2", options.pool));
  }
  if (result < 0) return Failed(options, "the pool cannot be opened", result);
  return std::make_shared<RadosObjectStore>(
      std::move(cluster), std::move(io),
      fmt::format("pool {} of the Ceph in {}", options.pool, options.conf_file));
}

}  // namespace mayfly::engine::cluster
