// child_process.h - a child process that is killed.
// It runs this same program with other arguments, and writes lines of a fixed size to a pipe, which
// the test reads. Lines written before the death are read even after it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mayfly::crash {

class ChildProcess {
 public:
  // Throws std::system_error when the process cannot be started.
  explicit ChildProcess(std::vector<std::string> arguments);
  ~ChildProcess();  // Kills it if it still runs.
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits for the next line; nothing when the process is dead and all of them were read.
  template <typename Line>
  std::optional<Line> Next() {
    Line line{};
    if (!Read(&line, sizeof line)) return std::nullopt;
    return line;
  }

  void Kill();

  // Stands still, and goes on: SIGSTOP, SIGCONT.
  void Stop();
  void Continue();

  // Reaps the process. True when it died by SIGKILL, as it should.
  bool Wait();

  // In the child: writes a line to the test, or ends the process when the pipe has no reader. Lines
  // of several threads do not mix.
  template <typename Line>
  static void Write(const Line& line) {
    static_assert(sizeof line <= 512, "a pipe takes this much at once, always");
    WriteBytes(&line, sizeof line);
  }

 private:
  bool Read(void* line, std::size_t size);
  static void WriteBytes(const void* line, std::size_t size);

  int lines_ = -1;
  pid_t process_ = -1;
};

}  // namespace mayfly::crash
