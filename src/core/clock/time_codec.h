// time_codec.h - the bytes of the record of the time.
//   | version u8 = 2 | flags u8 | trusted_ms u64 | passed_ns u64
//   | explained_ms u64, by a flag | boot id |
// It gives the next run the trusted time, and the boot of the machine whose steady clock it was
// measured by. Records of version 1, | trusted_ms u64 | unconfirmed u8 |, are read as records of an
// unknown boot. Layout: docs/formats/row.md.
#pragma once

#include <string>

#include "core/clock/trusted_clock.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::core {

std::string EncodeTime(const StoredTime& time);

// Corruption when the bytes are not those of a record.
Result<StoredTime> DecodeTime(Bytes encoded);

}  // namespace mayfly::core
