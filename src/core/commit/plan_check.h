// plan_check.h - what must hold of every batch that core commits, for assertions and tests.
#pragma once

#include <string>

#include "engine/batch.h"

namespace mayfly::core {

// Empty, or what is wrong with the batch:
// - a row with a deadline whose entry the batch deletes,
// - an entry without its row or member, or of another deadline than the row's,
// - a collection whose counts contradict each other, or the members that the batch puts,
// - a collection that does not die at its own deadline though a member lives for ever,
// - a packed collection with parts in `members`,
// - a member with a deadline whose entry, or line in its collection's order, is deleted or missing.
std::string FaultOf(const engine::Batch& batch);

}  // namespace mayfly::core
