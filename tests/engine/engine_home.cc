#include "tests/engine/engine_home.h"

#include <utility>

#include "base/check.h"
#include "base/temporary_directory.h"
#include "engine/hot/hot_engine.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "tests/engine/cluster_homes.h"

namespace mayfly::engine::suite {
namespace {

class MemoryHome final : public EngineHome {
 public:
  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    return NewMemoryEngine({.drop_policy = std::move(policy)});
  }
  bool has_files() const override { return false; }
};

class RocksHome final : public EngineHome {
 public:
  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    RocksOptions options;
    options.directory = directory_.Inside("rocks");
    options.profile = Profile::kTiny;
    options.write_buffer_bytes = std::size_t{64} << 10;  // Small, so that many files appear.
    options.drop_policy = std::move(policy);
    auto engine = OpenRocksEngine(options);
    MAYFLY_CHECK(engine.has_value(), engine.status().ToString().c_str());
    return *std::move(engine);
  }
  bool has_files() const override { return true; }

 private:
  TemporaryDirectory directory_;
};

// Bounds so small that segments are folded and rows evicted all the time.
HotOptions TinyHotOptions() {
  HotOptions options;
  options.segment_bytes = std::uint64_t{16} << 10;
  options.log_bytes_max = std::uint64_t{32} << 10;
  options.memory_bytes_max = std::uint64_t{192} << 10;
  options.reserved_bytes = std::size_t{1} << 30;
  options.huge_pages = false;
  return options;
}

class HotMemoryHome final : public EngineHome {
 public:
  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    HotOptions options = TinyHotOptions();
    options.memory_bytes_max = 0;
    options.drop_policy = std::move(policy);
    return NewHotMemoryEngine(options);
  }
  bool has_files() const override { return false; }
};

class HotHome final : public EngineHome {
 public:
  explicit HotHome(HotOptions options) : options_(std::move(options)) {}

  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    RocksOptions cold;
    cold.directory = directory_.Inside("hot");
    cold.profile = Profile::kTiny;
    cold.write_buffer_bytes = std::size_t{64} << 10;
    cold.drop_policy = std::move(policy);
    auto engine = OpenHotEngine(cold, options_);
    MAYFLY_CHECK(engine.has_value(), engine.status().ToString().c_str());
    return *std::move(engine);
  }
  bool has_files() const override { return true; }
  bool cursors_keep_files() const override { return false; }

 private:
  const HotOptions options_;
  TemporaryDirectory directory_;
};

class WrappedHome final : public EngineHome {
 public:
  WrappedHome(std::unique_ptr<EngineHome> inner, Wrapper wrapper)
      : inner_(std::move(inner)), wrapper_(std::move(wrapper)) {}

  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    return wrapper_(inner_->Open(std::move(policy)));
  }
  bool has_files() const override { return inner_->has_files(); }
  bool is_persistent() const override { return inner_->is_persistent(); }
  bool cursors_keep_files() const override { return inner_->cursors_keep_files(); }

 private:
  const std::unique_ptr<EngineHome> inner_;
  const Wrapper wrapper_;
};

}  // namespace

std::vector<EngineKind> AllEngineKinds() {
  return {
      MemoryKind(), RocksKind(), HotMemoryKind(), HotKind(), HotResidentKind(), ShardKind(),
  };
}

EngineKind MemoryKind() {
  return {"Memory", [] { return std::make_unique<MemoryHome>(); }};
}

EngineKind RocksKind() {
  return {"Rocks", [] { return std::make_unique<RocksHome>(); }};
}

EngineKind HotMemoryKind() {
  return {"HotMemory", [] { return std::make_unique<HotMemoryHome>(); }};
}

EngineKind HotKind() {
  return {"Hot", [] { return std::make_unique<HotHome>(TinyHotOptions()); }};
}

EngineKind HotResidentKind() {
  return {"HotResident", [] {
            HotOptions options = TinyHotOptions();
            options.memory_bytes_max = 0;
            options.map_log = false;
            return std::make_unique<HotHome>(options);
          }};
}

EngineKind WrappedKind(std::string name, EngineKind inner, Wrapper wrapper) {
  return {std::move(name), [inner = std::move(inner), wrapper = std::move(wrapper)] {
            return std::make_unique<WrappedHome>(inner.new_home(), wrapper);
          }};
}

}  // namespace mayfly::engine::suite
