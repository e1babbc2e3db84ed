#include "apps/mayfly/transfer/csv.h"

#include <algorithm>

namespace mayfly::app {

std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

bool IsWholeRecord(std::string_view record) {
  return std::count(record.begin(), record.end(), '"') % 2 == 0;
}

bool SplitRecord(std::string_view record, std::vector<std::string>& cells) {
  if (record.ends_with('\r')) record.remove_suffix(1);
  cells.clear();
  for (std::size_t at = 0;;) {
    std::string cell;
    if (at < record.size() && record[at] == '"') {
      for (++at; at < record.size(); ++at) {
        if (record[at] != '"') {
          cell.push_back(record[at]);
        } else if (at + 1 < record.size() && record[at + 1] == '"') {
          cell.push_back(record[at++]);
        } else {
          break;
        }
      }
      ++at;  // The quote that closes.
      if (at < record.size() && record[at] != ',') return false;
    } else {
      const std::size_t end = std::min(record.find(',', at), record.size());
      cell = record.substr(at, end - at);
      if (cell.find('"') != std::string::npos) return false;
      at = end;
    }
    cells.push_back(std::move(cell));
    if (at >= record.size()) return true;
    ++at;  // The comma.
  }
}

}  // namespace mayfly::app
