// Goal: statements are read as DynamoDB reads them, and what it refuses is refused in its words.
// Method: statements, and the message or the parts of the tree that each gives.
#include <gtest/gtest.h>

#include <string>

#include "dynamo/partiql/limits.h"
#include "dynamo/partiql/parser.h"

namespace mayfly::partiql {
namespace {

const std::string kNotWellFormed = "Statement wasn't well formed, can't be processed: ";

std::string Fault(const std::string& text) {
  const auto parsed = ParseStatement(text);
  return parsed ? "" : std::string(parsed.error().message());
}

template <typename Kind>
Kind Parsed(const std::string& text) {
  auto parsed = ParseStatement(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << Fault(text);
  return std::get<Kind>(std::move(parsed)->what);
}

TEST(PartiqlParser, ReadsASelectWithAllItsParts) {
  const auto select = Parsed<SelectStatement>(
      R"(select a, "b c".d[2] from "tab"."by_x" -- a note
         where "a" = 'it''s' /* another */ and b in [1, ?] order by s desc, p asc;)");
  ASSERT_EQ(select.projection.size(), 2u);
  EXPECT_EQ(select.projection[1], (Path{"b c", "d", std::size_t{2}}));
  EXPECT_EQ(select.from.table + "." + select.from.index, "tab.by_x");
  ASSERT_TRUE(select.where);
  EXPECT_EQ(select.where->kind, Term::Kind::kAnd);
  EXPECT_EQ(select.where->children[0].children[1].text, "it's");
  EXPECT_EQ(select.where->children[1].kind, Term::Kind::kIn);
  ASSERT_EQ(select.order.size(), 2u);
  EXPECT_TRUE(select.order[0].descending);
  EXPECT_FALSE(select.order[1].descending);
}

TEST(PartiqlParser, ReadsWritesAndCountsParameters) {
  const auto insert =
      ParseStatement("INSERT INTO tab VALUE {'p': ?, 'l': [?, {'x': ?}], 's': <<1>>}");
  ASSERT_TRUE(insert);
  EXPECT_EQ(insert->parameters, 3u);
  const auto update = Parsed<UpdateStatement>(
      "UPDATE tab SET a = a + 1, b = list_append(b, [1]) SET c = -.5e1 REMOVE d.e WHERE p = 1 "
      "RETURNING MODIFIED OLD *");
  ASSERT_EQ(update.assignments.size(), 4u);
  EXPECT_EQ(update.assignments[2].value->text, "-.5e1");
  EXPECT_FALSE(update.assignments[3].value);
  ASSERT_TRUE(update.returning);
  EXPECT_FALSE(update.returning->all);
  EXPECT_TRUE(update.returning->old);
  EXPECT_TRUE(Parsed<UpdateStatement>("FROM tab WHERE p = 1 SET a = 2 REMOVE b").where);
  EXPECT_TRUE(Parsed<DeleteStatement>("DELETE FROM tab WHERE p = 1 RETURNING ALL OLD *").returning);
  EXPECT_TRUE(
      Parsed<ExistsStatement>("EXISTS(SELECT * FROM tab WHERE p = 1 AND a = 2)").select.where);
}

TEST(PartiqlParser, SaysWhatItDidNotExpect) {
  const auto refused = [](const std::string& text, const std::string& detail) {
    EXPECT_EQ(Fault(text), kNotWellFormed + detail) << text;
  };
  refused("SLECT * FROM tab", "Expected data manipulation");
  refused("UPDATE my-tab SET a = 1 WHERE p = 1", "Expected data manipulation");
  for (const char* const rest : {" foo", ")", " ORDER BY p"}) {
    refused(std::string("DELETE FROM tab WHERE p = 1") + rest, "Unexpected token after expression");
  }
  refused("SELECT * FROM tab ORDER BY p WHERE p = 1", "Unexpected token after expression");
  refused("INSERT INTO tab t VALUE {'p': 1}", "Unexpected token after expression");
  refused("FROM tab SET a = 1 WHERE p = 1", "Unexpected token after expression");
  for (const char* const text :
       {"SELECT * FROM tab WHERE", "SELECT * FROM tab WHERE;", "SELECT * FROM",
        "DELETE FROM tab WHERE", "SELECT * FROM tab WHERE NOT", "SELECT * FROM tab WHERE ("}) {
    refused(text, "Unexpected term");
  }
  refused("SELECT * FROM tab WHERE p = 1 AND",
          "Missing right-hand side expression of infix operator");
  refused("SELECT * FROM tab WHERE p = 1 OR",
          "Missing right-hand side expression of infix operator");
  refused("SELECT * FROM tab WHERE ORDER BY p", "Unexpected keyword");
  refused("SELECT * FROM tab WHERE IS NULL", "Unexpected operator");
  refused("SELECT * FROM tab WHERE p = LIKE", "Unexpected operator");
  refused("SELECT * FROM tab WHERE x IS FOO", "Expected type name");
  refused("SELECT * FROM tab WHERE m.inner = 1", "Invalid path dot component");
  for (const char* const text : {"DELETE FROM", "DELETE FROM;", "DELETE FROM WHERE p = 1"}) {
    refused(text, "Expected identifier for simple path");
  }
}

TEST(PartiqlParser, SaysNothingOfWhatItCannotRead) {
  for (const char* const end : {"1e2147483648", "1e99999999999", "1.5e-2147483647", "1 # note",
                                "1 /* note", "'open", "\"open"}) {
    EXPECT_EQ(Fault(std::string("SELECT * FROM tab WHERE p = ") + end), kNotWellFormed) << end;
  }
}

TEST(PartiqlParser, HasWordsOfItsOwnForPathsAndAliases) {
  for (const char* const text :
       {"SELECT * FROM tab t WHERE p = 1", "SELECT * FROM tab AS t",
        "UPDATE tab t SET a = 1 WHERE p = 1", "DELETE FROM tab t WHERE p = 1"}) {
    EXPECT_EQ(Fault(text), "Aliasing is not supported") << text;
  }
  EXPECT_EQ(Fault(R"(SELECT * FROM "a"."b"."c")"),
            "A path may contain at most 2 components in the FROM clause");
  EXPECT_EQ(Fault(R"(SELECT * FROM "")"), "Path component cannot be an empty string");
  EXPECT_EQ(Fault(R"(SELECT * FROM "a"."")"), "Path component cannot be an empty string");
  EXPECT_EQ(Fault("x IS DOUBLE PRECISION"), "Unsupported operation: IsType");
  EXPECT_EQ(Fault("SELECT size(a) FROM tab"), "Unexpected path component at 1:8:4");
}

TEST(PartiqlParser, EndsAtItsBounds) {
  const auto nested = [](std::size_t levels) {
    return "SELECT * FROM tab WHERE " + std::string(levels, '(') + "p = 1" +
           std::string(levels, ')');
  };
  EXPECT_EQ(Fault(nested(20)), "");
  EXPECT_EQ(Fault(nested(1000)), "The statement nests more than 64 levels");
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "NOT ";
  EXPECT_EQ(Fault("SELECT * FROM tab WHERE " + nots + "p = 1"),
            "The statement nests more than 64 levels");
  EXPECT_EQ(Fault("SELECT * FROM tab WHERE p = '" + std::string(kStatementBytesMax, 'x') + "'"),
            "The statement is longer than 32768 bytes");
}

}  // namespace
}  // namespace mayfly::partiql
