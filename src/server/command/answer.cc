#include "server/command/answer.h"

#include <fmt/format.h>

#include "server/command/errors.h"

namespace mayfly::server {

Answer::Answer(const Status& status) {
  if (status.ok()) return;
  const bool wrong_type = status.code() == StatusCode::kWrongType;
  error_ = std::make_unique<std::string>(wrong_type ? std::string(kWrongTypeLine)
                                                    : fmt::format("ERR {}", status.message()));
}

}  // namespace mayfly::server
