// csv.h - records of CSV, as RFC 4180 has them: cells between commas; a cell with a comma, quote or
// line break stands in quotes, in which a quote is doubled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mayfly::app {

// In quotes if it must be.
std::string CsvCell(std::string_view text);

// False: a quote is open at its end, and the record goes on in the next line.
bool IsWholeRecord(std::string_view record);

// Replaces `cells` by those of the record. False when text follows a closed quote, or a quote
// stands within a cell that has none in front.
bool SplitRecord(std::string_view record, std::vector<std::string>& cells);

}  // namespace mayfly::app
