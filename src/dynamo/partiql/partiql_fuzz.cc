// Goal: no text breaks the parser or the compiler. Method: the input is a statement, or each byte of
// it a token, which gets further; what compiles is compiled with parameters of every type.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "dynamo/partiql/compile.h"
#include "dynamo/partiql/parser.h"

namespace mayfly::partiql {
namespace {

constexpr std::string_view kTokens[] = {"SELECT",
                                        "*",
                                        "FROM",
                                        "tab",
                                        "\"tab\"",
                                        ".",
                                        "WHERE",
                                        "p",
                                        "s",
                                        "a",
                                        "=",
                                        "<>",
                                        "<",
                                        "<=",
                                        ">",
                                        "'x'",
                                        "1",
                                        "-1e5",
                                        "?",
                                        "AND",
                                        "OR",
                                        "NOT",
                                        "IN",
                                        "BETWEEN",
                                        "IS",
                                        "MISSING",
                                        "NULL",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "<<",
                                        ">>",
                                        ",",
                                        ":",
                                        "INSERT",
                                        "INTO",
                                        "VALUE",
                                        "UPDATE",
                                        "SET",
                                        "REMOVE",
                                        "DELETE",
                                        "RETURNING",
                                        "ALL",
                                        "MODIFIED",
                                        "OLD",
                                        "NEW",
                                        "ORDER",
                                        "BY",
                                        "DESC",
                                        "EXISTS",
                                        "size",
                                        "begins_with",
                                        "contains",
                                        "attribute_type",
                                        "set_add",
                                        "list_append",
                                        "+",
                                        "-",
                                        "true",
                                        "--",
                                        "/*",
                                        "*/",
                                        "\n",
                                        ";",
                                        "''",
                                        "\"\"",
                                        "#"};

Parameters Given(std::size_t count) {
  const AttributeValue kinds[] = {AttributeValue("text"),
                                  AttributeValue(Number(5)),
                                  AttributeValue(Binary{"bytes"}),
                                  AttributeValue(true),
                                  AttributeValue(AttributeValue::List{"a", Number(1)}),
                                  AttributeValue(Item{{"a", Number(1)}}),
                                  AttributeValue(AttributeValue::StringSet{"a", "b"})};
  Parameters parameters;
  for (std::size_t i = 0; i < count; ++i) parameters.push_back(kinds[i % std::size(kinds)]);
  return parameters;
}

void TryStatement(std::string_view text) {
  const auto statement = ParseStatement(text);
  if (!statement) return;
  const Parameters parameters = Given(statement->parameters);
  if (!CheckStatement(*statement, parameters).ok()) return;
  for (const tables::ReadSchema& schema :
       {tables::ReadSchema{.partition = "p"}, tables::ReadSchema{.partition = "p", .sort = "s"}}) {
    const auto plan = Compile(*statement, parameters, schema);
    if (!plan) continue;
    if (const auto* const select = std::get_if<SelectPlan>(&*plan)) {
      Selected(select->projection, Item{{"a", AttributeValue::List{"x"}}});
    }
  }
}

}  // namespace
}  // namespace mayfly::partiql

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0) {
    mayfly::partiql::TryStatement(
        std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
    return 0;
  }
  std::string text;
  for (std::size_t i = 1; i < size; ++i) {
    text += mayfly::partiql::kTokens[data[i] % std::size(mayfly::partiql::kTokens)];
    text += ' ';
  }
  mayfly::partiql::TryStatement(text);
  return 0;
}
