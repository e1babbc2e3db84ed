// stream_writer.h - encodes streams as Redis 7.0 dumps them; the form is that of stream_reader.h.
#pragma once

#include <span>
#include <string>

#include "rdb/stream_value.h"

namespace mayfly::rdb {

// The bytes behind the type kRdbStream2. Ids of entries ascend; the state's `entries` and `first`
// are not read.
void AppendStream(std::string& out, std::span<const StreamEntry> entries, const StreamState& state);

}  // namespace mayfly::rdb
