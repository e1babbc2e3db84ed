// Goal: docs/tables.md lists the operations that are answered, and no others.
// Method: the part between its marks is generated and compared. MAYFLY_UPDATE=1 writes it instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "dynamo/operations/operations.h"
#include "server/page.h"

namespace mayfly::dynamo {
namespace {

const std::string kBegin = "<!-- begin -->\n";
const std::string kEnd = "<!-- end -->\n";

std::string OperationsTable() {
  std::string table = "| X-Amz-Target | what it does |\n|---|---|\n";
  for (const Operation& operation : AllOperations()) {
    table += fmt::format("| `{}.{}` | {} |\n", operation.prefix, operation.name, operation.summary);
  }
  return table;
}

TEST(TablesPage, ListsTheOperations) {
  std::stringstream text;
  text << std::ifstream(TABLES_PAGE).rdbuf();
  const std::string page = text.str();
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  server::ExpectPage(TABLES_PAGE,
                     page.substr(0, begin + kBegin.size()) + OperationsTable() + page.substr(end));
}

}  // namespace
}  // namespace mayfly::dynamo
