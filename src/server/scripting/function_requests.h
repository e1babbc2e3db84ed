// function_requests.h - the catalogue of functions as a command's transaction sees it.
// The rows are what counts (library_rows.h); the engine's catalogue is a cache of them. So functions
// follow a transaction as all rows do: what it loaded is there for it, and nothing of it is left
// when it is rolled back.
#pragma once

#include <memory>

#include "server/command/command.h"
#include "server/scripting/script_context.h"

namespace mayfly::server {

// `walks`: the transaction can read rows it has not latched. One that cannot asks for everything
// when the rows have to be read; then an error is returned. A library that cannot be loaded is left
// out, with a line in the log.
Result<std::shared_ptr<const Catalogue>> FindCatalogue(Call& call, ScriptContext& context,
                                                       bool walks);

// As of now, for callers without a transaction.
Result<std::shared_ptr<const Catalogue>> ReadCatalogue(Database& database, const Keyspace& own,
                                                       ScriptContext& context);

// Puts it in the place of the one that the transaction sees.
Status StoreCatalogue(Call& call, Catalogue catalogue);

}  // namespace mayfly::server
