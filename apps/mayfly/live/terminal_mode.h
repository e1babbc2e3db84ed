// terminal_mode.h - single keys from the terminal, without echo, until the object is gone.
#pragma once

#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace mayfly::app {

class SingleKeys {
 public:
  // Without `wanted`, and without a terminal, no key is ever pressed.
  explicit SingleKeys(bool wanted) : terminal_(wanted && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!terminal_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~SingleKeys() {
    if (terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  SingleKeys(const SingleKeys&) = delete;
  SingleKeys& operator=(const SingleKeys&) = delete;

  // The key that is pressed within that time; 0: none.
  char Await(int milliseconds) const {
    pollfd one{.fd = terminal_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
    char key = 0;
    if (::poll(&one, 1, milliseconds) > 0 && ::read(STDIN_FILENO, &key, 1) == 1) return key;
    return 0;
  }

 private:
  termios before_{};
  const bool terminal_;
};

}  // namespace mayfly::app
