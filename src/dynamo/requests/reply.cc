#include "dynamo/requests/reply.h"

namespace mayfly::dynamo {

std::string ToText(const Reply& reply) {
  std::string text = ToText(reply.members);
  text.pop_back();  // The closing brace.
  for (const auto& [name, member] : reply.texts) {
    if (text.size() > 1) text += ',';
    text += '"';
    text += name;
    text += "\":";
    text += member;
  }
  text += '}';
  return text;
}

}  // namespace mayfly::dynamo
