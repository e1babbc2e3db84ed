// debug_data.h - the parts of DEBUG that touch data. Handlers of DEBUG begin without a transaction.
#pragma once

#include "server/command/command.h"

namespace mayfly::server::admin {

// DEBUG DIGEST: of all numbered databases, as of one moment; DEBUG DIGEST-VALUE key...: of each.
// Redis computes the same of the same data (value_digest.h).
Answer DebugDigest(Call& call);
Answer DebugDigestValue(Call& call);

// DEBUG OBJECT key: a line in Redis' form.
Answer DebugObject(Call& call);

// DEBUG POPULATE count [prefix [size]]: strings for a test.
Answer DebugPopulate(Call& call);

// DEBUG RELOAD and DEBUG LOADAOF: everything is durable; a restart would read the same.
Answer DebugReload(Call& call);

// DEBUG SET-ACTIVE-EXPIRE 0|1: whether dead keys are purged before a command meets them.
Answer DebugSetActiveExpire(Call& call);

}  // namespace mayfly::server::admin
