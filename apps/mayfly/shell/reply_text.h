// reply_text.h - replies of a server as people and programs read them.
#pragma once

#include <string>

#include "apps/mayfly/terminal/output.h"
#include "wire/reply.h"

namespace mayfly::app {

// With line breaks. For people: maps as two columns, lists of maps as tables, lists with numbers.
// Raw: texts as they are, one to a line, depth first. JSON: one value.
std::string ReplyText(const Reply& reply, const Output& output);

}  // namespace mayfly::app
