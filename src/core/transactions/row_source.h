// row_source.h - where the write buffers of a transaction read what is stored.
// This is all in which the two kinds of transaction differ. A latched one holds the latches of its
// keys and reads the present (latched_rows.h). An optimistic one reads a frozen state, and keeps a
// read set that its commit checks (snapshot_rows.h).
#pragma once

#include <memory>
#include <optional>

#include "core/commit/key_state.h"
#include "core/keyspaces/keyspace_state.h"
#include "core/layout/collection_codec.h"
#include "engine/engine.h"

namespace mayfly::core {

class RowSource {
 public:
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  // Ok when the transaction may read from the keyspace, read the key, or change it. `stripe` is the
  // key's.
  virtual Status CheckUse(const KeyspaceState& keyspace) const = 0;
  virtual Status CheckRead(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const = 0;
  virtual Status CheckWrite(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const = 0;
  virtual Status CheckClear(const KeyspaceState& keyspace) const = 0;

  // True when what is read stays as it is until the transaction ends, because its latch is held.
  bool is_latched() const { return is_latched_; }

  // True when no other thread reads keys of the stripe before the transaction ends, either.
  virtual bool HoldsAlone(Stripe stripe) const = 0;

  // Reads the stored row, dead or not; nothing when there is none.
  virtual Status ReadRow(KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                         std::optional<RowView>& row) = 0;

  // As ReadRow(), and the marker if there is no row.
  Status ReadKeyState(KeyspaceState& keyspace, Bytes key, KeyState& key_state) {
    key_state.marker.reset();
    MAYFLY_RETURN_IF_ERROR(ReadRow(keyspace, key, key_state.pin, key_state.stored));
    if (!keyspace.by_timestamp() || key_state.stored) [[likely]]
      return {};
    return ReadMarker(keyspace, key, key_state.marker);
  }

  // Turns a row in chunks into the plain row that it stands for.
  virtual Status ShowWhole(const KeyspaceState& keyspace, PinnedBytes& pin, RowView& row) = 0;

  // Reads a member or side of the collection that `key` names, by its key in `members`. NotFound:
  // there is none.
  virtual Status ReadPart(const KeyspaceState& keyspace, Bytes key, Bytes part_key,
                          PinnedBytes& pin) = 0;

  // Notes that a part was read which is in the row. Only of a source that is not latched.
  virtual void NotePart(const KeyspaceState&, Bytes /*key*/, Bytes /*part_key*/) {}

  // A cursor over the members or sides of that collection with keys in [begin, end). `packed`
  // points into the row, if it has them.
  virtual Result<std::unique_ptr<engine::Cursor>> NewPartCursor(const KeyspaceState& keyspace,
                                                                Bytes key, const PartKeys& keys,
                                                                std::optional<Bytes> packed,
                                                                const engine::KeyRange& range) = 0;

  // The state to read other things from; null inside: the present. For the length of a call.
  virtual Result<std::shared_ptr<const engine::Snapshot>> State() const = 0;

  // As State(), for walks over rows. Internal when the transaction was begun without them.
  virtual Result<std::shared_ptr<const engine::Snapshot>> StateOfRows() const = 0;

  // No entry of that state lies before it.
  virtual WallTime FirstDeadline(const KeyspaceState& keyspace) const = 0;

 protected:
  explicit RowSource(bool is_latched) : is_latched_(is_latched) {}

 private:
  virtual Status ReadMarker(const KeyspaceState& keyspace, Bytes key,
                            std::optional<VersionView>& marker) = 0;

  const bool is_latched_;
};

}  // namespace mayfly::core
