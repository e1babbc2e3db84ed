// info_sections.h - the text of INFO, by section.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "server/session/server.h"

namespace mayfly::server::admin {

// The text of these sections; none given, or "default": those that Redis shows by default; "all"
// and "everything": all of them. Unknown names give nothing.
std::string InfoText(Server& server, const std::vector<std::string>& sections);

}  // namespace mayfly::server::admin
