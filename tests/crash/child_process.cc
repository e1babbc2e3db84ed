#include "crash/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

namespace mayfly::crash {
namespace {

constexpr int kLineDescriptor = 3;

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::string name = "crash_test";
  std::vector<char*> pointers{name.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    ::dup2(ends[1], kLineDescriptor);
    if (ends[0] != kLineDescriptor) ::close(ends[0]);
    if (ends[1] != kLineDescriptor) ::close(ends[1]);
    ::execv("/proc/self/exe", pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  lines_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    Kill();
    Wait();
  }
  ::close(lines_);
}

bool ChildProcess::Read(void* line, std::size_t size) {
  ssize_t read = 0;
  do {
    read = ::read(lines_, line, size);
  } while (read < 0 && errno == EINTR);
  return read == static_cast<ssize_t>(size);
}

void ChildProcess::WriteBytes(const void* line, std::size_t size) {
  if (::write(kLineDescriptor, line, size) != static_cast<ssize_t>(size)) std::_Exit(1);
}

void ChildProcess::Kill() { ::kill(process_, SIGKILL); }
void ChildProcess::Stop() { ::kill(process_, SIGSTOP); }
void ChildProcess::Continue() { ::kill(process_, SIGCONT); }

bool ChildProcess::Wait() {
  int outcome = 0;
  const pid_t reaped = ::waitpid(process_, &outcome, 0);
  const bool killed = reaped == process_ && WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGKILL;
  process_ = -1;
  return killed;
}

}  // namespace mayfly::crash
