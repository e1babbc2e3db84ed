// text_table.h - formats rows of text as aligned columns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mayfly::app {

class TextTable {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Each line with its end; titles first. No spaces at the end of lines.
  std::string ToString() const {
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    std::string text = Line(titles);
    for (const auto& row : rows_) text += Line(row);
    return text;
  }

 private:
  std::size_t WidthOf(std::size_t column) const {
    std::size_t width = columns_[column].title.size();
    for (const auto& row : rows_) width = std::max(width, row[column].size());
    return width;
  }

  std::string Line(const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line += i == 0 ? "" : "  ";
      line += columns_[i].align == Align::kLeft ? fmt::format("{:<{}}", cells[i], WidthOf(i))
                                                : fmt::format("{:>{}}", cells[i], WidthOf(i));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mayfly::app
