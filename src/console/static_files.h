// static_files.h - serves the console's files.
#pragma once

#include <string>

#include "console/assets.h"
#include "http/router.h"
#include "server/config/config.h"

namespace mayfly::console {

// The content as it was before it was compressed.
std::string Unpacked(const Asset& asset);

// GET for each file. The settings must outlive the router's use.
void AddStaticFiles(http::Router& router, const server::Config& config);

}  // namespace mayfly::console
