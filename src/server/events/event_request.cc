#include "server/events/event_request.h"

#include <limits>

#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server {

Result<EventRequest> ParseEventRequest(std::span<const Bytes> words) {
  EventRequest request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (IsWord(words[i], "skip")) {
      request.skips = true;
      continue;
    }
    const Bytes word = words[i];
    if (++i == words.size()) return SyntaxError();
    if (IsWord(word, "after")) {
      MAYFLY_TRY(const std::int64_t after,
                 IntegerArgument(words[i], 0, std::numeric_limits<std::int64_t>::max()));
      request.after = static_cast<std::uint64_t>(after);
    } else if (IsWord(word, "count")) {
      MAYFLY_TRY(const std::int64_t count,
                 IntegerArgument(words[i], 1, std::int64_t{EventRequest::kEventsMax}));
      request.count = static_cast<std::size_t>(count);
    } else if (IsWord(word, "cursor")) {
      request.cursor = words[i];
    } else {
      return SyntaxError();
    }
  }
  if (request.after.has_value() == !request.cursor.empty()) return SyntaxError();
  return request;
}

}  // namespace mayfly::server
