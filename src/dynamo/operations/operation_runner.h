// operation_runner.h - answers operations in place of the tables of one database: on a cluster, where
// the items of a table lie in many databases and at many servers.
#pragma once

#include <span>
#include <string>

#include "dynamo/operations/operation.h"

namespace mayfly::dynamo {

// A request that has passed the rules of its sender, and its answer.
struct RunnerCall {
  const void* client = nullptr;  // Calls of one client have the effect they would have in turn.
  const Operation* operation = nullptr;
  std::string json;
  int status = 0;  // Of HTTP.
  std::string reply = {};
};

// Safe to call from any thread.
class OperationRunner {
 public:
  virtual ~OperationRunner() = default;

  // Whether it answers this operation. If not, the tables of the service do.
  virtual bool Takes(const Operation& operation) const = 0;

  // Answers all calls.
  virtual void Run(std::span<RunnerCall> calls) = 0;
};

}  // namespace mayfly::dynamo
