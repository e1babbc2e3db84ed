// projection_parser.cc - the grammar of projections (parser.h).
#include <utility>

#include "expressions/syntax/parser.h"
#include "expressions/syntax/token_cursor.h"

namespace mayfly::expressions {

Result<std::vector<PathSyntax>> ParseProjectionSyntax(std::string_view text, bool bounded) {
  TokenCursor cursor(text, ExpressionKind::kProjection);
  MAYFLY_RETURN_IF_ERROR(cursor.CheckSize(bounded));
  std::vector<PathSyntax> paths;
  for (;;) {
    MAYFLY_TRY(PathSyntax path, cursor.ParsePath());
    paths.push_back(std::move(path));
    if (cursor.AtEnd()) return paths;
    MAYFLY_RETURN_IF_ERROR(cursor.Expect(","));
  }
}

}  // namespace mayfly::expressions
