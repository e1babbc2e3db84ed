// ttl_commands.h - the handlers of mayfly's own commands; their table is in ttl_commands.cc.
#pragma once

#include "server/command.h"

namespace mayfly::server {

// ttl_commands.cc: what the index and the events know.
Answer TtlForecast(Call& call);
Answer TtlScan(Call& call);
Answer TtlEvents(Call& call);
Answer TtlPurge(Call& call);
Answer TtlStats(Call& call);

// ttl_commands_clock.cc
Answer TtlClock(Call& call);

// ttl_commands_policy.cc
Answer TtlPolicy(Call& call);

// ttl_commands_proof.cc
Answer TtlProve(Call& call);
Answer TtlJob(Call& call);

// The selected database. These commands hold no work, and ask the database as any program does.
Result<Keyspace*> SelectedKeyspace(const Call& call);
Result<Database*> WholeDatabase(const Call& call);

}  // namespace mayfly::server
