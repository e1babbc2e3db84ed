// page.h - compares a generated page of docs/ with its file.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/testing/environment.h"

namespace mayfly::server {

// With MAYFLY_UPDATE=1 the page is written first.
inline void ExpectPage(const std::string& path, const std::string& page) {
  if (NumberFromEnvironment("MAYFLY_UPDATE", 0) != 0) std::ofstream(path) << page;
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), page) << "run this test with MAYFLY_UPDATE=1 and look at the page";
}

}  // namespace mayfly::server
