// output.h - how every subcommand prints: the rules are here and nowhere else.
//   human  on a terminal: aligned tables with titles, readable units, long values cut
//   raw    in a pipe: one line per row, cells separated by tabs, times in milliseconds, sizes in
//          bytes; tabs, line breaks and bytes that are no text are escaped as \t, \n, \xNN
//   json   with --json: one object per line, times in milliseconds, sizes in bytes; bytes that are
//          not UTF-8 are Base64, under the name with _base64 behind it
// Reports of backup, check and prove are in words in a pipe, too, unless --raw or --json is given.
// Colours appear on a terminal only, and neither with --no-color nor when NO_COLOR is set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::app {

struct OutputFlags {
  bool json = false;
  bool raw = false;
  bool no_color = false;

  // For reports in words, which are the same on a terminal and in a pipe, because they are kept.
  bool wants_words() const { return !json && !raw; }
};

// One value, with its kind: that decides its form.
class Cell {
 public:
  enum class Kind : std::uint8_t {
    kNothing,
    kText,
    kCount,
    kSize,
    kLength,
    kInstant,
    kYesNo,
    kReal
  };

  static Cell Nothing() { return Cell(Kind::kNothing, {}, 0); }
  static Cell Text(Bytes bytes) { return Cell(Kind::kText, std::string(bytes), 0); }
  static Cell Count(std::uint64_t n) {
    return Cell(Kind::kCount, {}, static_cast<std::int64_t>(n));
  }
  static Cell Size(std::uint64_t n) { return Cell(Kind::kSize, {}, static_cast<std::int64_t>(n)); }
  static Cell Length(Millis length) { return Cell(Kind::kLength, {}, length.count()); }
  static Cell Instant(WallTime time) { return Cell(Kind::kInstant, {}, ToMs(time)); }
  static Cell YesNo(bool yes) { return Cell(Kind::kYesNo, {}, yes ? 1 : 0); }
  static Cell Real(double number);
  static Cell Length(std::optional<Millis> length) { return length ? Length(*length) : Nothing(); }
  static Cell Instant(std::optional<WallTime> time) { return time ? Instant(*time) : Nothing(); }

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }
  std::int64_t number() const { return number_; }
  double real() const { return real_; }

  std::string ForPeople() const;
  std::string Raw() const;

 private:
  Cell(Kind kind, std::string text, std::int64_t number)
      : kind_(kind), text_(std::move(text)), number_(number) {}

  Kind kind_;
  std::string text_;
  std::int64_t number_;
  double real_ = 0;
};

// A field of a record, or a column's cell, under the name that JSON uses.
using Field = std::pair<std::string, Cell>;

// One JSON object, without a line break.
std::string JsonOf(const std::vector<Field>& fields);

// The text is valid UTF-8.
bool IsUtf8(Bytes bytes);

class Output {
 public:
  enum class Form : std::uint8_t { kHuman, kRaw, kJson };

  explicit Output(const OutputFlags& flags);

  Form form() const { return form_; }
  bool human() const { return form_ == Form::kHuman; }
  bool color() const { return color_; }

  // A line for people; nothing in the other forms.
  void Note(std::string_view line) const;

  // Bytes as they are.
  void Bytes(mayfly::Bytes bytes) const;

  // One thing with several fields: a line per field; JSON: one object.
  void Record(const std::vector<Field>& fields) const;

  // A row of a list. On a terminal rows are kept until End(), so that columns can be aligned. A
  // list that goes on has its titles once.
  void Row(std::vector<Field> fields);
  void End();

  std::string Bold(std::string_view text) const { return Paint(text, "1"); }
  std::string Alarm(std::string_view text) const { return Paint(text, "1;31"); }
  std::string Bar(std::string_view text) const { return Paint(text, "36"); }

 private:
  std::string Paint(std::string_view text, std::string_view code) const;

  Form form_;
  bool color_;
  bool has_titles_ = false;
  std::vector<std::vector<Field>> rows_;
};

}  // namespace mayfly::app
