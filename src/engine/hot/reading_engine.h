// reading_engine.h - an engine that reads rows of the log over a cold store, and writes nothing.
// What the reader beside a writer and the salvage share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/hot/hot_state.h"

namespace mayfly::engine::hot {

class ReadingEngine : public Engine {
 protected:
  ReadingEngine(std::string name, Capabilities capabilities)
      : Engine(std::move(name), capabilities) {}

  // What reads show now. Kept by the states that read it.
  virtual std::shared_ptr<const HotRows> rows() const = 0;

 private:
  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override;
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override;
  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override;
  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override;

  // Refused by Engine, since it cannot be written to.
  Status DoCommit(const Batch& batch, Durability durability) override;
  Status DoSync(Durability durability) override;
  Status DoCompact(Role role, const KeyRange& range) override;
  Result<bool> DoCompactFile(Role role, const std::string& name,
                             std::uint64_t bytes_per_second) override;
  Result<bool> DoDropFile(Role role, const std::string& name) override;
  Status DoFlush() override;
};

}  // namespace mayfly::engine::hot
