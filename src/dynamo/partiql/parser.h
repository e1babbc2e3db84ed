// parser.h - parses a statement of PartiQL, in DynamoDB's dialect. A recursive descent with bounded
// depth, and no backtracking but for one word.
//
//   statement := select | insert | update | delete | EXISTS ( select )
//   select    := SELECT ( * | path, ... ) FROM table [ WHERE term ]
//                [ ORDER BY name [ ASC | DESC ], ... ]
//   insert    := INSERT INTO table VALUE term
//   update    := UPDATE table change { change } [ WHERE term ] [ returning ]
//              | FROM table [ WHERE term ] change { change } [ returning ]
//   change    := SET path = term, ... | REMOVE path, ...
//   delete    := DELETE FROM table [ WHERE term ] [ returning ]
//   returning := RETURNING ( ALL | MODIFIED ) ( OLD | NEW ) *
//   table     := name [ . name ]
//   term      := and { OR and }        and := not { AND not }        not := NOT not | comparison
//   comparison := sum [ = sum | [ NOT ] BETWEEN sum AND sum | [ NOT ] IN list | IS [ NOT ] ... ]
//   sum       := single { + single | - single }
//   single    := ( term ) | value | ? | path | word ( term, ... ) | [ term, ... ]
//              | << term, ... >> | { 'name' : term, ... }
#pragma once

#include <string_view>

#include "dynamo/partiql/syntax.h"
#include "mayfly/result.h"

namespace mayfly::partiql {

// Invalid, in DynamoDB's words.
Result<Statement> ParseStatement(std::string_view text);

}  // namespace mayfly::partiql
