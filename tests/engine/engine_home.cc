#include "tests/engine/engine_home.h"

#include <utility>

#include "base/check.h"
#include "base/temporary_directory.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocks/rocks_engine.h"

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

class WrappedHome final : public EngineHome {
 public:
  WrappedHome(std::unique_ptr<EngineHome> inner, Wrapper wrapper)
      : inner_(std::move(inner)), wrapper_(std::move(wrapper)) {}

  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    return wrapper_(inner_->Open(std::move(policy)));
  }
  bool has_files() const override { return inner_->has_files(); }

 private:
  const std::unique_ptr<EngineHome> inner_;
  const Wrapper wrapper_;
};

}  // namespace

std::vector<EngineKind> AllEngineKinds() {
  return {
      MemoryKind(),
      RocksKind(),
  };
}

EngineKind MemoryKind() {
  return {"Memory", [] { return std::make_unique<MemoryHome>(); }};
}

EngineKind RocksKind() {
  return {"Rocks", [] { return std::make_unique<RocksHome>(); }};
}

EngineKind WrappedKind(std::string name, EngineKind inner, Wrapper wrapper) {
  return {std::move(name), [inner = std::move(inner), wrapper = std::move(wrapper)] {
            return std::make_unique<WrappedHome>(inner.new_home(), wrapper);
          }};
}

}  // namespace mayfly::engine::suite
