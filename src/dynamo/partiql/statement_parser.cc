// statement_parser.cc - parses statements (parser.h).
#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "dynamo/partiql/limits.h"
#include "dynamo/partiql/parser.h"
#include "dynamo/partiql/term_parser.h"

namespace mayfly::partiql {
namespace {

constexpr const char* kLeftOver = "Unexpected token after expression";

class StatementParser {
 public:
  explicit StatementParser(std::vector<Token> tokens) : terms_(std::move(tokens)) {}

  Result<Statement> Run() {
    MAYFLY_TRY(Statement statement, ParseAny());
    terms_.Pass(";");
    if (!terms_.AtEnd()) return NotWellFormed(kLeftOver);
    statement.parameters = terms_.parameters();
    return statement;
  }

 private:
  Result<Statement> ParseAny() {
    if (terms_.IsWord("SELECT")) {
      MAYFLY_TRY(SelectStatement select, ParseSelect());
      return Statement{.what = std::move(select)};
    }
    if (terms_.PassWord("INSERT")) {
      MAYFLY_TRY(InsertStatement insert, ParseInsert());
      return Statement{.what = std::move(insert)};
    }
    if (terms_.PassWord("UPDATE")) {
      MAYFLY_TRY(UpdateStatement update, ParseUpdate(false));
      return Statement{.what = std::move(update)};
    }
    if (terms_.PassWord("FROM")) {
      MAYFLY_TRY(UpdateStatement update, ParseUpdate(true));
      return Statement{.what = std::move(update)};
    }
    if (terms_.PassWord("DELETE")) {
      MAYFLY_TRY(DeleteStatement remove, ParseDelete());
      return Statement{.what = std::move(remove)};
    }
    if (terms_.PassWord("EXISTS")) return ParseExists();
    return ParseOther();
  }

  // A bare term is understood, and refused.
  Result<Statement> ParseOther() {
    const auto term = terms_.ParseTerm();
    if (term && term->kind == Term::Kind::kIsType) {
      return Status::Invalid("Unsupported operation: IsType");
    }
    return NotWellFormed("Expected data manipulation");
  }

  Result<Statement> ParseExists() {
    MAYFLY_RETURN_IF_ERROR(terms_.Expect("(", "Unexpected token"));
    if (!terms_.IsWord("SELECT")) return NotWellFormed("Expected data manipulation");
    MAYFLY_TRY(SelectStatement select, ParseSelect());
    MAYFLY_RETURN_IF_ERROR(terms_.Expect(")", kLeftOver));
    return Statement{.what = ExistsStatement{std::move(select)}};
  }

  Result<SelectStatement> ParseSelect() {
    terms_.Next();
    SelectStatement select;
    if (!terms_.Pass("*")) {
      do {
        MAYFLY_TRY(Path path, ParseProjected());
        select.projection.push_back(std::move(path));
      } while (terms_.Pass(","));
    }
    MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("FROM", "Unexpected token"));
    MAYFLY_TRY(select.from, ParseTable("Unexpected term"));
    MAYFLY_RETURN_IF_ERROR(RefuseAlias());
    MAYFLY_TRY(select.where, ParseWhere());
    if (!terms_.PassWord("ORDER")) return select;
    MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("BY", "Unexpected token"));
    do {
      MAYFLY_TRY(const Path path, terms_.ParsePath());
      if (path.size() > 1) return Status::Invalid("ORDER BY takes attributes of the key");
      const bool descending = terms_.PassWord("DESC");
      if (!descending) terms_.PassWord("ASC");
      select.order.push_back({std::get<std::string>(path.front()), descending});
    } while (terms_.Pass(","));
    return select;
  }

  Result<Path> ParseProjected() {
    MAYFLY_TRY(Term term, terms_.ParseTerm());
    if (term.kind == Term::Kind::kPath) return std::move(term.path);
    return Status::Invalid(fmt::format("Unexpected path component at {}", ToText(term.position)));
  }

  Result<InsertStatement> ParseInsert() {
    MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("INTO", "Unexpected token"));
    InsertStatement insert;
    MAYFLY_TRY(insert.into, ParseTable("Expected identifier for simple path"));
    if (terms_.Is("(") || terms_.IsWord("VALUES")) return NotWellFormed("Unexpected keyword");
    MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("VALUE", kLeftOver));
    MAYFLY_TRY(insert.value, terms_.ParseTerm());
    return insert;
  }

  // `from_first`: FROM table WHERE ... SET ...
  Result<UpdateStatement> ParseUpdate(bool from_first) {
    UpdateStatement update;
    MAYFLY_TRY(update.table,
               ParseTable(from_first ? "Unexpected term" : "Expected identifier for simple path"));
    if (!terms_.IsWord("SET") && !terms_.IsWord("REMOVE")) MAYFLY_RETURN_IF_ERROR(RefuseAlias());
    if (from_first) {
      MAYFLY_TRY(update.where, ParseWhere());
    }
    if (!terms_.IsWord("SET") && !terms_.IsWord("REMOVE")) {
      return NotWellFormed("Expected data manipulation");
    }
    while (terms_.IsWord("SET") || terms_.IsWord("REMOVE")) {
      const bool sets = ToUpper(terms_.Next().text) == "SET";
      do {
        MAYFLY_TRY(UpdateStatement::Assignment assignment, ParseAssignment(sets));
        update.assignments.push_back(std::move(assignment));
      } while (terms_.Pass(","));
    }
    if (!from_first) {
      MAYFLY_TRY(update.where, ParseWhere());
    }
    MAYFLY_TRY(update.returning, ParseReturning());
    return update;
  }

  Result<UpdateStatement::Assignment> ParseAssignment(bool sets) {
    UpdateStatement::Assignment assignment;
    MAYFLY_TRY(assignment.path, terms_.ParsePath());
    if (!sets) return assignment;
    MAYFLY_RETURN_IF_ERROR(terms_.Expect("=", "Unexpected token"));
    MAYFLY_TRY(assignment.value, terms_.ParseTerm());
    return assignment;
  }

  Result<DeleteStatement> ParseDelete() {
    MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("FROM", "Unexpected token"));
    DeleteStatement remove;
    MAYFLY_TRY(remove.from, ParseTable("Expected identifier for simple path"));
    MAYFLY_RETURN_IF_ERROR(RefuseAlias());
    MAYFLY_TRY(remove.where, ParseWhere());
    MAYFLY_TRY(remove.returning, ParseReturning());
    return remove;
  }

  bool IsName() const {
    const Token& token = terms_.Peek();
    return token.kind == Token::Kind::kQuoted ||
           (token.kind == Token::Kind::kWord && !IsKeyword(token.text));
  }

  Result<TablePath> ParseTable(const char* otherwise) {
    std::vector<std::string> names;
    do {
      if (!IsName()) return NotWellFormed(otherwise);
      names.push_back(terms_.Next().text);
      if (names.back().empty()) return Status::Invalid("Path component cannot be an empty string");
    } while (terms_.Pass("."));
    if (names.size() > kTablePathMax) {
      return Status::Invalid(fmt::format(
          "A path may contain at most {} components in the FROM clause", kTablePathMax));
    }
    names.resize(kTablePathMax);
    return TablePath{std::move(names[0]), std::move(names[1])};
  }

  Status RefuseAlias() const {
    if (!IsName() && !terms_.IsWord("AS")) return {};
    return Status::Invalid("Aliasing is not supported");
  }

  Result<std::optional<Term>> ParseWhere() {
    if (!terms_.PassWord("WHERE")) return std::optional<Term>();
    MAYFLY_TRY(Term term, terms_.ParseTerm());
    return std::optional<Term>(std::move(term));
  }

  Result<std::optional<Returning>> ParseReturning() {
    if (!terms_.PassWord("RETURNING")) return std::optional<Returning>();
    Returning returning = {.all = terms_.PassWord("ALL")};
    if (!returning.all) MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("MODIFIED", "Unexpected token"));
    returning.old = terms_.PassWord("OLD");
    if (!returning.old) MAYFLY_RETURN_IF_ERROR(terms_.ExpectWord("NEW", "Unexpected token"));
    MAYFLY_RETURN_IF_ERROR(terms_.Expect("*", "Unexpected token"));
    return std::optional(returning);
  }

  TermParser terms_;
};

}  // namespace

Result<Statement> ParseStatement(std::string_view text) {
  MAYFLY_TRY(std::vector<Token> tokens, Tokenize(text));
  return StatementParser(std::move(tokens)).Run();
}

}  // namespace mayfly::partiql
