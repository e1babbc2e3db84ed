// key_range.h - a range of keys.
#pragma once

#include "mayfly/bytes.h"

namespace mayfly::engine {

// Half open: begin <= key < end. An empty bound is no bound, since no key is empty.
struct KeyRange {
  Bytes begin = {};
  Bytes end = {};
};

}  // namespace mayfly::engine
