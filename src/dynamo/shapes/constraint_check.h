// constraint_check.h - the second walk over a request, whose types are right: its constraints. For
// shape_check.cc.
#pragma once

#include "dynamo/shapes/shape.h"

namespace mayfly::dynamo {

Outcome<void> CheckConstraints(const json::object& request, const Shape& shape);

}  // namespace mayfly::dynamo
