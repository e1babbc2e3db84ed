// environment.h - settings of a test run from environment variables: MAYFLY_SEED=7 ctest ...
#pragma once

#include <cstdint>

namespace mayfly {

// The decimal number in the environment variable `name`, or `otherwise` when it is not set. Text
// that is not a number ends the process: a run with another seed than the one asked for misleads.
std::uint64_t NumberFromEnvironment(const char* name, std::uint64_t otherwise);

}  // namespace mayfly
