// table_operations.h - DynamoDB's API for commands. The server knows no tables; the program that
// serves both provides this.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Safe to call from any thread.
class TableOperations {
 public:
  enum class Access : std::uint8_t { kRead, kWrite };

  virtual ~TableOperations() = default;

  // The JSON that the operation answers to this JSON. Invalid, with the API's words, when it is
  // refused; when there is no such operation; and for one that writes with kRead.
  virtual Result<std::string> Run(Access access, Bytes operation, Bytes json) = 0;
};

}  // namespace mayfly::server
