// check.h - assertions that stay in release builds.
// A Status is for what the world may do to us; MAYFLY_CHECK is for what we did wrong. It prints
// where and what, and aborts: a database that goes on after a broken invariant stores the damage.
// On hot paths use assert(), which costs nothing in release.
#pragma once

namespace mayfly {

[[noreturn]] void CheckFailed(const char* file, int line, const char* what) noexcept;

}  // namespace mayfly

#define MAYFLY_CHECK(condition, what)                  \
  do {                                                 \
    if (!(condition)) [[unlikely]] {                   \
      ::mayfly::CheckFailed(__FILE__, __LINE__, what); \
    }                                                  \
  } while (false)
