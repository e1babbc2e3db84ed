// run_handler.h - one call of a handler, all or nothing.
#pragma once

#include "server/command/command.h"
#include "wire/byte_buffer.h"

namespace mayfly::server {

// Runs the handler. When it fails, its writes are rolled back, its reply is removed from `out`,
// which call.reply writes to, and the error is written instead.
Answer RunHandler(const CommandSpec& spec, Call& call, OutputBuffer& out);

}  // namespace mayfly::server
