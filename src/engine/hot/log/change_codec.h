// change_codec.h - a batch as the payload of a record.
//   payload: | kind u8 | contents |
//     kChanges:  changes: | kind and role u8 | key varint | value varint | key | value |
//     kNote:     bytes of the engine's own, such as the end of a fold
//   An empty payload changes nothing: it marks up to where the log is on the device.
// The low four bits of a change's first byte are Batch::Kind, the high four the role. Deletes have
// no value and no length of one. Slots are not stored: the engine has one machine.
// Conditions are checked before a batch is logged, and are no part of it.
#pragma once

#include <cstdint>
#include <string>

#include "base/function_ref.h"
#include "engine/batch.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine::hot {

// Stored; append, never renumber.
enum class PayloadKind : std::uint8_t { kChanges = 0, kNote = 1 };

// Writes the payload of a batch to the front of `room`, which grows if it has to and keeps its size,
// and returns it.
Bytes EncodeBatch(const Batch& batch, std::string& room);

// Appends the payload of a note to `out`.
void EncodeNote(Bytes note, std::string& out);

// Calls `change` for every change of a payload, in order, or `note` with the bytes of a note. Views
// point into `payload`. Corruption for bytes that no mayfly wrote, Unsupported for a kind that this
// one does not know; otherwise the first error of a callback.
Status DecodePayload(Bytes payload, FunctionRef<Status(const Batch::Change&)> change,
                     FunctionRef<Status(Bytes)> note);

}  // namespace mayfly::engine::hot
