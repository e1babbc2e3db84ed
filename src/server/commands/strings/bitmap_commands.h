// bitmap_commands.h - the handlers of the bitmap family; its table is in bitmap_commands.cc.
#pragma once

#include <cstdint>

#include "server/command/command.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {

// bitmap_commands.cc
Answer SetBit(Call& call);
Answer GetBit(Call& call);
Answer BitCount(Call& call);
Answer BitPos(Call& call);
Answer BitOp(Call& call);

// bitmap_commands_fields.cc
Answer BitField(Call& call);
Answer BitFieldReadOnly(Call& call);

// A bit offset within the bounds of strings. With a '#' in front, where `width` is not 0, it counts
// fields of that many bits.
Result<std::uint64_t> BitOffsetArgument(Bytes argument, unsigned width = 0);

}  // namespace mayfly::server
