// rig.h - one engine under test, with the calls that cases repeat.
// The short calls expect success and report a failure to GTest themselves, so that a case reads as
// a story. A case makes calls that should fail on engine() itself.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "tests/engine/engine_home.h"

namespace mayfly::engine::suite {

inline constexpr Address kRows = {.role = Role::kRows};
inline constexpr Address kMembers = {.role = Role::kMembers};
inline constexpr Address kExpiry = {.role = Role::kExpiry};
inline constexpr Address kEvents = {.role = Role::kEvents};
inline constexpr Address kMeta = {.role = Role::kMeta};
inline constexpr Address kAllRoles[] = {kRows, kMembers, kExpiry, kEvents, kMeta};

inline constexpr Durability kAllDurabilities[] = {Durability::kNone, Durability::kProcess,
                                                  Durability::kDisk};

using Keys = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

class Rig {
 public:
  explicit Rig(const EngineKind& kind);

  Engine& engine() { return *engine_; }
  EngineHome& home() { return *home_; }

  // Closes, destroys and opens again.
  void Reopen(std::shared_ptr<const DropPolicy> policy = nullptr);

  // Wraps the engine in another one, until the next Reopen().
  void Wrap(const Wrapper& wrapper);

  void Put(Address at, Bytes key, Bytes value);
  void Delete(Address at, Bytes key);
  void DeleteRange(Address at, Bytes begin, Bytes end);
  void Commit(const Batch& batch, Durability durability = Durability::kProcess);
  void Compact(Role role, const KeyRange& range = {});

  void Flush();
  bool CompactFile(Role role, const std::string& name);
  bool DropFile(Role role, const std::string& name);
  std::vector<FileInfo> Files(Role role);
  std::vector<Trace> Find(Bytes needle);

  // Nothing when absent.
  std::optional<std::string> Get(Address at, Bytes key, const Snapshot* snapshot = nullptr);

  // Never null: a failure ends the process.
  std::unique_ptr<Snapshot> NewSnapshot();
  std::unique_ptr<Cursor> NewCursor(Address at, const CursorOptions& options = {});

  // Everything a new cursor shows, front to back or back to front.
  Pairs Scan(Address at, const CursorOptions& options = {});
  Pairs ScanBack(Address at, const CursorOptions& options = {});
  Keys ScanKeys(Address at, const CursorOptions& options = {});

 private:
  const std::unique_ptr<EngineHome> home_;
  std::unique_ptr<Engine> engine_;
};

// "(end)" when the cursor is on no key; its status must be ok then.
std::string KeyAt(const Cursor& cursor);
std::string ValueAt(const Cursor& cursor);

// "k00042": byte order is number order.
std::string NumberedKey(std::size_t number);

}  // namespace mayfly::engine::suite
