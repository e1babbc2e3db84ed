#include "apps/mayfly/shell/line_editor.h"

#include <histedit.h>
#include <sys/stat.h>

#include <algorithm>
#include <clocale>
#include <cstdio>

namespace mayfly::app {
namespace {

constexpr int kHistoryLines = 1000;

}  // namespace

struct LineEditor::State {
  LineEditorOptions options;
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  std::string shown_hint;  // libedit keeps a pointer to it.
  bool dropped = false;

  static State& Of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<State*>(data);
  }

  // What is typed up to the cursor.
  static std::string_view Typed(EditLine* editor) {
    const LineInfo* const info = el_line(editor);
    return {info->buffer, static_cast<std::size_t>(info->cursor - info->buffer)};
  }

  static char* Prompt(EditLine* editor) { return Of(editor).options.prompt.data(); }

  static char* Hint(EditLine* editor) {
    State& state = Of(editor);
    const LineInfo* const info = el_line(editor);
    state.shown_hint =
        state.options.hint({info->buffer, static_cast<std::size_t>(info->lastchar - info->buffer)});
    return state.shown_hint.data();
  }

  static unsigned char Complete(EditLine* editor, int /*key*/) {
    const std::string_view typed = Typed(editor);
    const std::size_t word = typed.size() - std::min(typed.find_last_of(" \t") + 1, typed.size());
    const std::vector<std::string> names = Of(editor).options.completions(typed);
    if (names.empty()) return CC_ERROR;
    std::string common = names.front();
    for (const std::string& name : names) {
      const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
      common.erase(end, common.end());
    }
    if (names.size() == 1) common.push_back(' ');
    if (common.size() > word) {
      el_deletestr(editor, static_cast<int>(word));
      el_insertstr(editor, common.c_str());
      return CC_REFRESH;
    }
    std::fputc('\n', stdout);
    for (const std::string& name : names) std::printf("%s  ", name.c_str());
    std::fputc('\n', stdout);
    return CC_REDISPLAY;
  }

  // A blank draws the line anew, and the hint with it; other characters are only added.
  static unsigned char Blank(EditLine* editor, int /*key*/) {
    return el_insertstr(editor, " ") == 0 ? CC_REFRESH : CC_ERROR;
  }

  static unsigned char Drop(EditLine* editor, int /*key*/) {
    Of(editor).dropped = true;
    return CC_NEWLINE;
  }
};

LineEditor::LineEditor(LineEditorOptions options) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.options = std::move(options);
  std::setlocale(LC_CTYPE, "");
  state.editor = el_init("mayfly", stdin, stdout, stderr);
  state.history = history_init();
  history(state.history, &state.event, H_SETSIZE, kHistoryLines);
  history(state.history, &state.event, H_SETUNIQUE, 1);
  if (!state.options.history_file.empty()) {
    history(state.history, &state.event, H_LOAD, state.options.history_file.c_str());
  }
  el_set(state.editor, EL_CLIENTDATA, &state);
  el_set(state.editor, EL_EDITOR, "emacs");
  el_set(state.editor, EL_PROMPT, &State::Prompt);
  el_set(state.editor, EL_RPROMPT, &State::Hint);
  el_set(state.editor, EL_HIST, history, state.history);
  el_set(state.editor, EL_ADDFN, "mayfly-complete", "Complete", &State::Complete);
  el_set(state.editor, EL_ADDFN, "mayfly-blank", "Insert a blank", &State::Blank);
  el_set(state.editor, EL_ADDFN, "mayfly-drop", "Drop the line", &State::Drop);
  el_set(state.editor, EL_BIND, "\t", "mayfly-complete", nullptr);
  el_set(state.editor, EL_BIND, " ", "mayfly-blank", nullptr);
  el_set(state.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  // Ctrl-C as a key while a line is typed, and as a signal while a command runs.
  el_set(state.editor, EL_SETTY, "-d", "-isig", nullptr);
  el_set(state.editor, EL_BIND, "^C", "mayfly-drop", nullptr);
}

LineEditor::~LineEditor() {
  if (!state_->options.history_file.empty()) {
    history(state_->history, &state_->event, H_SAVE, state_->options.history_file.c_str());
    ::chmod(state_->options.history_file.c_str(), 0600);  // It has keys and values.
  }
  history_end(state_->history);
  el_end(state_->editor);
}

std::optional<std::string> LineEditor::Read() {
  int size = 0;
  state_->dropped = false;
  // Before the prompt is shown: el_gets() does it behind it, and keys that were pressed in between,
  // such as Ctrl-D, would have lost their meaning.
  el_set(state_->editor, EL_PREP_TERM, 1);
  const char* const text = el_gets(state_->editor, &size);
  if (state_->dropped) {
    std::fputs("^C\n", stdout);
    return std::string();
  }
  if (text == nullptr || size <= 0) return std::nullopt;
  std::string line(text, static_cast<std::size_t>(size));
  line.erase(line.find_last_not_of("\r\n") + 1);
  return line;
}

void LineEditor::Remember(const std::string& line) {
  history(state_->history, &state_->event, H_ENTER, line.c_str());
}

}  // namespace mayfly::app
