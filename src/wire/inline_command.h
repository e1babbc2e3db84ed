// inline_command.h - a command typed as a line, split into its arguments.
//   SET "a key" 'it\'s' \x41       ->  SET | a key | it's | \x41
// The rules are Redis':
// - Blanks separate.
// - A quote may open anywhere in an argument. Where it closes, a blank or the end of the line must
//   follow.
// - Within "": \n \r \t \b \a are control characters, \xHH is a byte, any other \c is c.
// - Within '': \' is a quote, everything else is itself. Outside quotes a backslash is itself.
#pragma once

#include <vector>

#include "mayfly/bytes.h"

namespace mayfly {

// Appends the arguments in [first, last) to `args`. False when a quote is not closed, or not
// followed by a blank; `args` then holds the ones before it. Escapes are resolved in place, so the
// line is overwritten, and `args` points into it.
[[nodiscard]] bool SplitInlineCommand(char* first, char* last, std::vector<Bytes>& args);

}  // namespace mayfly
