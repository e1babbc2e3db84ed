// demo_row.h - rows with a deadline, as plain as the demo can have them.
//   row:    key -> | deadline_ms u64, big endian; 0: lives forever | payload |
//   entry:  | deadline_ms u64, big endian | key | -> empty
// A stand-in for the row format of core, which does not exist yet. It is what the engine sees of
// core: bytes, and a policy that tells which of them are dead.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/drop_policy.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::app {

std::string EncodeRow(std::optional<WallTime> deadline, Bytes payload);
std::string EncodeEntry(WallTime deadline, Bytes key);

// The deadline at the front of a row's value or an entry's key; nothing when it lives forever or is
// too short to hold one.
std::optional<WallTime> DeadlineAtFront(Bytes bytes);

// The bytes behind the deadline; empty when there are none.
Bytes BehindDeadline(Bytes bytes);

// Condemns rows and entries whose deadline has come by `clock`. The clock must outlive the policy.
std::shared_ptr<const engine::DropPolicy> NewDemoPolicy(const Clock& clock);

}  // namespace mayfly::app
