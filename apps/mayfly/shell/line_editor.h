// line_editor.h - a line typed at the terminal, with history, completion and hints; on libedit.
// Up and down walk through the history, Tab completes, Ctrl-R searches, Ctrl-C drops the line,
// Ctrl-D on an empty line ends. The hint stands at the right end of the line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mayfly::app {

struct LineEditorOptions {
  std::string prompt;
  std::string history_file;  // Empty: none is kept.
  std::function<std::vector<std::string>(std::string_view line)> completions;
  std::function<std::string(std::string_view line)> hint;
};

class LineEditor {
 public:
  explicit LineEditor(LineEditorOptions options);
  ~LineEditor();  // Saves the history.
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // The next line, without its break; empty when Ctrl-C dropped it. Nothing at the end.
  std::optional<std::string> Read();

  void Remember(const std::string& line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mayfly::app
