// pipeline.h - commands of a client that have arrived and not run yet.
// Their arguments are views into the parser's buffer and valid until more is read: so nothing is
// read into the parser while the pipeline holds commands.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "server/command/limits.h"
#include "wire/request_parser.h"

namespace mayfly::server {

class Pipeline {
 public:
  bool empty() const { return next_ == ends_.size(); }
  std::size_t size() const { return ends_.size() - next_; }

  // The command `index` places behind the next.
  std::span<const Bytes> operator[](std::size_t index) const {
    const std::size_t at = next_ + index;
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return std::span(args_).subspan(begin, ends_[at] - begin);
  }

  void Pop(std::size_t count) {
    next_ += count;
    if (!empty()) return;
    args_.clear();
    ends_.clear();
    next_ = 0;
    if (args_.capacity() > kPipelineArgsKept) Release();
  }

  // Takes the last command back.
  void DropLast() {
    ends_.pop_back();
    args_.resize(ends_.empty() ? 0 : ends_.back());
  }

  std::size_t memory_bytes() const {
    return args_.capacity() * sizeof(Bytes) + ends_.capacity() * sizeof(std::size_t);
  }

  // Frees its memory if it is empty.
  void Release() {
    if (empty()) *this = Pipeline();
  }

  // Takes up to `commands_max` complete commands. The pipeline must be empty.
  RequestParser::Outcome Fill(RequestParser& parser, std::size_t commands_max) {
    auto outcome = RequestParser::Outcome::kCommand;
    while (ends_.size() < commands_max) {
      outcome = parser.Next();
      if (outcome != RequestParser::Outcome::kCommand) break;
      args_.insert(args_.end(), parser.args().begin(), parser.args().end());
      ends_.push_back(args_.size());
    }
    return outcome;
  }

 private:
  std::vector<Bytes> args_;        // Of all commands, one behind the other.
  std::vector<std::size_t> ends_;  // Of each command, in args_.
  std::size_t next_ = 0;
};

}  // namespace mayfly::server
