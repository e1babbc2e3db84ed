// info_sections.h - what INFO tells, by section.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "server/session/server.h"

namespace mayfly::server::admin {

// The text of these sections; none given, or "default": what Redis shows without a word; "all" and
// "everything": all there are. Names that are none give nothing.
std::string InfoText(Server& server, const std::vector<std::string>& sections);

}  // namespace mayfly::server::admin
