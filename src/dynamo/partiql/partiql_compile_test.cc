// Goal: a statement becomes the requests that a client would have sent itself.
// Method: statements on the key of one table; the expressions are compared with placeholders filled in.
#include <gtest/gtest.h>

#include <string>

#include "dynamo/partiql/compile.h"
#include "dynamo/partiql/parser.h"

namespace mayfly::partiql {
namespace {

const tables::ReadSchema kSchema = {.partition = "p", .sort = "s"};

Result<Plan> PlanOf(const std::string& text, const Parameters& parameters = {}) {
  MAYFLY_TRY(const Statement statement, ParseStatement(text));
  MAYFLY_RETURN_IF_ERROR(CheckStatement(statement, parameters));
  return Compile(statement, parameters, kSchema);
}

template <typename Kind>
Kind Planned(const std::string& text, const Parameters& parameters = {}) {
  auto plan = PlanOf(text, parameters);
  EXPECT_TRUE(plan.has_value()) << text << ": " << (plan ? "" : plan.error().message());
  return std::get<Kind>(*std::move(plan));
}

std::string Refused(const std::string& text, const Parameters& parameters = {}) {
  const auto plan = PlanOf(text, parameters);
  return plan ? "" : std::string(plan.error().message());
}

std::string Filled(std::string text, const ExpressionArguments& arguments) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) {
      text.replace(at, from.size(), to);
    }
  };
  // The longest first: #n1 is a part of #n10.
  for (auto name = arguments.names.rbegin(); name != arguments.names.rend(); ++name) {
    replace(name->first, name->second);
  }
  for (auto value = arguments.values.rbegin(); value != arguments.values.rend(); ++value) {
    replace(value->first, value->second.string() != nullptr   ? "'" + *value->second.string() + "'"
                          : value->second.number() != nullptr ? value->second.number()->text()
                                                              : "(other)");
  }
  return text;
}

std::string FilterOf(const std::string& where) {
  const auto plan = Planned<SelectPlan>("SELECT * FROM tab WHERE " + where);
  EXPECT_TRUE(plan.scan) << where;
  return plan.scan ? Filled(plan.scan->filter, plan.scan->arguments) : "";
}

TEST(PartiqlCompile, QueriesWhereThePartitionIsNamed) {
  const auto plan = Planned<SelectPlan>(
      "SELECT a.b, c FROM tab WHERE 'x' = p AND s BETWEEN 1 AND 5 AND (c = 1 OR d IS MISSING) "
      "ORDER BY s DESC");
  ASSERT_EQ(plan.queries.size(), 1u);
  const QueryRequest& query = plan.queries[0];
  EXPECT_EQ(Filled(query.key_condition, query.arguments), "p = 'x' AND s BETWEEN 1 AND 5");
  EXPECT_EQ(Filled(query.filter, query.arguments), "c = 1 OR attribute_not_exists(d)");
  EXPECT_EQ(Filled(query.projection, query.arguments), "a, c");
  EXPECT_FALSE(query.forward);
  EXPECT_FALSE(query.arguments.bounded);
  EXPECT_FALSE(plan.get);
}

TEST(PartiqlCompile, QueriesEachOfSeveralPartitionsOnce) {
  for (const char* const where :
       {"p IN ['b', 'a', 'b']", "p IN ('b', 'a')", "p = 'b' OR p = 'a' OR p = 'b'"}) {
    const auto plan =
        Planned<SelectPlan>(std::string("SELECT * FROM tab WHERE ") + where + " ORDER BY p");
    ASSERT_EQ(plan.queries.size(), 2u) << where;
    EXPECT_EQ(plan.queries[0].arguments.values.at(":partition"), AttributeValue("a"));
  }
  const AttributeValue list = AttributeValue::List{"x", "y", "z"};
  EXPECT_EQ(Planned<SelectPlan>("SELECT * FROM tab WHERE p IN ?", {list}).queries.size(), 3u);
}

TEST(PartiqlCompile, ScansWhereItIsNot) {
  EXPECT_EQ(FilterOf("p > 'a' AND s = 1"), "p > 'a' AND s = 1");
  EXPECT_EQ(FilterOf("p = 'a' OR c = 1"), "p = 'a' OR c = 1");
  EXPECT_EQ(FilterOf("NOT (a = 1 AND b = 2)"), "NOT (a = 1 AND b = 2)");
  EXPECT_EQ(FilterOf("a != 1 AND (b = 2 OR c = 3 AND d = 4)"),
            "a <> 1 AND (b = 2 OR (c = 3 AND d = 4))");
  EXPECT_EQ(FilterOf("((a = 1))"), "a = 1");
  EXPECT_EQ(FilterOf("a NOT IN [1, 2]"), "NOT a IN (1, 2)");
  EXPECT_EQ(FilterOf("a IS NOT MISSING"), "NOT attribute_not_exists(a)");
  EXPECT_EQ(FilterOf("a = MISSING"), "attribute_not_exists(a)");
  EXPECT_EQ(FilterOf("a.b[1] IS NULL"), "attribute_type(a.b[1], 'NULL')");
  EXPECT_EQ(FilterOf("size(a) >= 3"), "size(a) >= 3");
  EXPECT_EQ(FilterOf(R"(Begins_With("a", 'x') AND contains(b, 1))"),
            "begins_with(a, 'x') AND contains(b, 1)");
  EXPECT_TRUE(Planned<SelectPlan>("SELECT * FROM tab").scan);
}

TEST(PartiqlCompile, GetsOneItemThatIsNamedByItsWholeKey) {
  const auto plan = Planned<SelectPlan>("SELECT a.b FROM tab WHERE p = 'x' AND s = 1");
  ASSERT_TRUE(plan.get);
  EXPECT_EQ(plan.get->key, (Item{{"p", "x"}, {"s", Number(1)}}));
  EXPECT_FALSE(Planned<SelectPlan>("SELECT * FROM tab WHERE p = 'x' AND s = 1 AND a = 1").get);
  EXPECT_FALSE(Planned<SelectPlan>("SELECT * FROM tab WHERE p = 'x' AND s > 1").get);
}

TEST(PartiqlCompile, WritesOnConditions) {
  const auto put = Planned<PutItemRequest>(
      "INSERT INTO tab VALUE {'p': ?, 's': .5, 'm': {'l': [true, null]}}", {"x"});
  EXPECT_EQ(Filled(put.condition, put.arguments), "attribute_not_exists(p)");
  EXPECT_EQ(put.item.at("s"), AttributeValue(*Number::Parse("0.5")));
  const auto update = Planned<UpdateItemRequest>(
      "UPDATE tab SET a = a + 1 SET m.x = list_append(m.x, [2]) REMOVE d SET t = set_add(t, "
      "<<'q'>>) "
      "WHERE s = 1 AND p = 'x' AND (c = 3 OR c = 4) RETURNING ALL NEW *");
  EXPECT_EQ(Filled(update.update, update.arguments),
            "ADD t (other) REMOVE d SET a = a + 1, m.x = list_append(m.x, (other))");
  EXPECT_EQ(Filled(update.condition, update.arguments), "attribute_exists(p) AND (c = 3 OR c = 4)");
  EXPECT_EQ(update.return_values, ReturnValues::kAllNew);
  const auto remove =
      Planned<DeleteItemRequest>("DELETE FROM tab WHERE p = 'x' AND s = 1 AND c = 3 AND d = 4");
  EXPECT_EQ(Filled(remove.condition, remove.arguments),
            "attribute_not_exists(p) OR (c = 3 AND d = 4)");
  EXPECT_EQ(Planned<DeleteItemRequest>("DELETE FROM tab WHERE p = 'x' AND s = 1").condition, "");
  const auto check =
      Planned<ConditionCheck>("EXISTS(SELECT * FROM tab WHERE p = 'x' AND s = 1 AND c = 3)");
  EXPECT_EQ(Filled(check.condition, check.arguments), "attribute_exists(p) AND c = 3");
}

TEST(PartiqlCompile, RefusesInTheWordsOfDynamo) {
  const std::string key =
      "Where clause does not contain a mandatory equality on all key attributes";
  EXPECT_EQ(Refused("UPDATE tab SET a = 1 WHERE p = 'x'"), key);
  EXPECT_EQ(Refused("UPDATE tab SET a = 1"), key);
  EXPECT_EQ(Refused("DELETE FROM tab WHERE p = 'x' AND s > 1"), key);
  EXPECT_EQ(Refused("EXISTS(SELECT * FROM tab WHERE p = 'x' AND s = 1)"),
            "EXISTS() must contain a single item read with additional condition");
  EXPECT_EQ(Refused("SELECT * FROM tab WHERE a < ?", {true}),
            "Incorrect operand type for operator or function; operator or function: <, operand "
            "type: BOOL");
  EXPECT_EQ(Refused("SELECT * FROM tab WHERE a = ?"),
            "Number of parameters in request and statement don't match.");
  EXPECT_EQ(
      Refused("SELECT * FROM tab WHERE attribute_exists('a')"),
      "Operator or function requires a document path; operator or function: attribute_exists");
  EXPECT_EQ(Refused("SELECT * FROM tab WHERE attribute_exists(a, b)"),
            "Incorrect number of operands for operator or function; operator or function: "
            "attribute_exists, number "
            "of operands: 2");
  EXPECT_EQ(Refused("SELECT * FROM tab WHERE EXISTS(a)"),
            "Unrecognized function: exists at 1:25:6");
  EXPECT_EQ(Refused("INSERT INTO tab VALUE {'p': 'x', 'n': [1, 1e126]}"),
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range under root[1]");
  EXPECT_EQ(Refused("UPDATE tab SET a = set_add(b, <<1>>) WHERE p = 'x' AND s = 1"),
            "The first argument to SET_ADD must equal the assignment value at 1:20:7");
  EXPECT_EQ(Refused("UPDATE tab SET a = set_add(a, 'x') WHERE p = 'x' AND s = 1"),
            "The second argument to SET_ADD must be a value with type SET at 1:28:1");
  EXPECT_EQ(Refused("UPDATE tab SET a = <<>> WHERE p = 'x' AND s = 1"),
            "Empty bags are not supported");
  EXPECT_EQ(
      Refused("UPDATE tab SET a = <<'x', 'x'>> WHERE p = 'x' AND s = 1"),
      "One or more parameter values were invalid: Input collection [x, x] contains duplicates.");
  EXPECT_EQ(Refused("DELETE FROM tab WHERE p = 'x' AND s = 1 RETURNING MODIFIED NEW *"),
            "Invalid returning clause: RETURNING MODIFIED NEW *. Only RETURNING ALL OLD * is "
            "allowed in DELETE "
            "statements.");
  EXPECT_EQ(Refused("SELECT * FROM tab WHERE p = 'x' ORDER BY a"),
            "Variable reference a in ORDER BY clause must be part of the primary key");
}

TEST(PartiqlCompile, SelectsPartsByTheirLastNames) {
  const Item item = {{"a", Item{{"b", AttributeValue::List{"x", "y"}}}}, {"c", Number(1)}};
  EXPECT_EQ(Selected({{"a", "b"}, {"c"}, {"d"}}, item),
            (Item{{"b", AttributeValue::List{"x", "y"}}, {"c", Number(1)}}));
  EXPECT_EQ(Selected({{"a", "b", std::size_t{1}}}, item), (Item{{"b[1]", "y"}}));
  EXPECT_EQ(Selected({}, item), item);
}

}  // namespace
}  // namespace mayfly::partiql
