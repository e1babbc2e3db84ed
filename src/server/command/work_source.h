// work_source.h - where the executor gets its works from.
// The server on a database uses CoreWorkSource (core_work_source.h); tests may bring works of their
// own, for example ones whose commit fails.
#pragma once

#include <memory>

#include "core/transactions/work.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Safe to call from any thread.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  // Waits until the keys are free; as core::BeginWork().
  virtual Result<std::unique_ptr<core::Work>> Begin(const core::WorkScope& scope) = 0;
};

}  // namespace mayfly::server
