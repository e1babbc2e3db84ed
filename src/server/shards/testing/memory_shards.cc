#include "server/shards/testing/memory_shards.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace mayfly::server {
namespace {

template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

void Must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace

struct MemoryShards::Shard {
  std::unique_ptr<Database> database;
  std::unique_ptr<CoreTransactionSource> transactions;
  std::unique_ptr<Databases> databases;
  std::size_t owner = kNobody;
  std::shared_ptr<ServedDatabase> data;  // Null: the owner does not have it yet.
  std::uint64_t tenure = 0;
  std::size_t held = 0;  // Databases of earlier tenures that are still in use.
};

class MemoryShards::Directory final : public ShardDirectory {
 public:
  Directory(MemoryShards& shards, std::size_t server) : shards_(shards), server_(server) {}

  std::size_t shards() const override { return shards_.count_; }

  ShardPlace Find(std::size_t shard) const override {
    const std::lock_guard lock(shards_.mutex_);
    const Shard& found = *shards_.shards_.at(shard);
    ShardPlace place;
    if (found.owner == server_) {
      place.here = found.data;
    } else if (found.owner != kNobody) {
      place.elsewhere = shards_.members_[found.owner].address;
    }
    return place;
  }

  std::vector<std::shared_ptr<ServedDatabase>> Here() const override {
    const std::lock_guard lock(shards_.mutex_);
    std::vector<std::shared_ptr<ServedDatabase>> here;
    for (const auto& shard : shards_.shards_) {
      if (shard->owner == server_ && shard->data != nullptr) here.push_back(shard->data);
    }
    return here;
  }

  std::shared_ptr<const ClusterView> view() const override {
    const std::lock_guard lock(shards_.mutex_);
    return shards_.views_[server_];
  }

  void SetListener(ShardListener* listener) override {
    const std::lock_guard moves(shards_.moves_);
    listener_ = listener;
    if (listener == nullptr) return;
    for (const auto& data : Here()) Must(listener->ShardComes(*data));
  }

  ShardListener* listener() { return listener_; }  // With moves_ held.

 private:
  MemoryShards& shards_;
  const std::size_t server_;
  ShardListener* listener_ = nullptr;
};

MemoryShards::MemoryShards(std::size_t shards, std::size_t servers, const Clock& clock)
    : count_(shards), clock_(clock), views_(servers) {
  for (std::size_t i = 0; i < shards; ++i) {
    auto shard = std::make_unique<Shard>();
    shard->database = Must(Database::Open({.allow_any_instant = true, .clock = &clock_}));
    shard->transactions = std::make_unique<CoreTransactionSource>(*shard->database);
    shard->databases = Must(Databases::Open(*shard->database, 1));
    shards_.push_back(std::move(shard));
  }
  for (std::size_t i = 0; i < servers; ++i) {
    members_.push_back({.id = fmt::format("{:040x}", i + 1), .address = {}, .epoch = i + 1});
    directories_.push_back(std::make_unique<Directory>(*this, i));
  }
  Deal();
}

MemoryShards::~MemoryShards() = default;

ShardDirectory& MemoryShards::directory(std::size_t server) { return *directories_.at(server); }

void MemoryShards::SetAddress(std::size_t server, ServerAddress address) {
  const std::lock_guard lock(mutex_);
  members_.at(server).address = std::move(address);
  Refresh();
}

void MemoryShards::SetState(std::size_t server, ClusterMember::State state) {
  const std::lock_guard lock(mutex_);
  members_.at(server).state = state;
  Refresh();
}

void MemoryShards::Give(std::size_t shard, std::size_t server) { Move(shard, server); }

void MemoryShards::Release(std::size_t shard) { Move(shard, kNobody); }

void MemoryShards::Deal() {
  for (std::size_t i = 0; i < shards_.size(); ++i) Give(i, i % members_.size());
}

Database& MemoryShards::database(std::size_t shard) { return *shards_.at(shard)->database; }

void MemoryShards::Move(std::size_t number, std::size_t to) {
  const std::lock_guard moves(moves_);
  Shard& shard = *shards_.at(number);
  std::size_t from = kNobody;
  {
    const std::lock_guard lock(mutex_);
    if (shard.owner == to) return;
    from = std::exchange(shard.owner, to);
    Refresh();
  }
  if (from != kNobody) {
    if (auto* const listener = directories_[from]->listener()) listener->ShardGoes(number);
    std::shared_ptr<ServedDatabase> last;
    {
      const std::lock_guard lock(mutex_);
      last = std::exchange(shard.data, nullptr);
    }
    last.reset();
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return shard.held == 0; });
  }
  if (to == kNobody) return;
  auto data = Open(number);
  if (auto* const listener = directories_[to]->listener()) Must(listener->ShardComes(*data));
  const std::lock_guard lock(mutex_);
  shard.data = std::move(data);
}

std::shared_ptr<ServedDatabase> MemoryShards::Open(std::size_t number) {
  Shard& shard = *shards_[number];
  const std::lock_guard lock(mutex_);
  ++shard.held;
  auto* const data = new ServedDatabase{.database = *shard.database,
                                        .transactions = *shard.transactions,
                                        .databases = *shard.databases,
                                        .shard = number,
                                        .tenure = ++shard.tenure};
  return {data, [this, &shard](ServedDatabase* last) {
            delete last;
            const std::lock_guard its(mutex_);
            --shard.held;
            left_.notify_all();
          }};
}

void MemoryShards::Refresh() {
  ++epoch_;
  for (std::size_t server = 0; server < views_.size(); ++server) {
    auto view = std::make_shared<ClusterView>();
    view->epoch = epoch_;
    view->members = members_;
    view->members[server].is_self = true;
    for (const auto& shard : shards_) view->owners.push_back(shard->owner);
    views_[server] = std::move(view);
  }
}

}  // namespace mayfly::server
