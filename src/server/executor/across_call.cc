#include "server/executor/across_call.h"

#include <utility>

#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

Reply Parse(Bytes bytes) {
  ReplyParser parser;
  parser.Feed(bytes);
  auto reply = parser.Next();
  if (reply && reply->has_value()) return **std::move(reply);
  return Reply::Text(Reply::Kind::kError, "ERR the reply of another server cannot be read");
}

}  // namespace

std::shared_ptr<AcrossCall> AcrossCall::Start(PeerCalls& peers, Order order, Done done) {
  auto across = std::make_shared<AcrossCall>(std::move(order), std::move(done));
  const std::vector<ServerAddress> others = across->order_.others;
  const std::string command = across->order_.command;
  across->missing_ = others.size();
  for (const ServerAddress& other : others) {
    auto call = PeerCommands::Start(
        peers, {.to = other, .version = ProtocolVersion::kResp3, .commands = {command}},
        [weak = std::weak_ptr(across)](std::vector<std::string> replies) {
          if (const auto self = weak.lock()) self->Take(replies.front());
        });
    const std::lock_guard lock(across->mutex_);
    across->calls_.push_back(std::move(call));
  }
  return across;
}

void AcrossCall::Take(const std::string& bytes) {
  std::vector<Reply> replies;
  {
    const std::lock_guard lock(mutex_);
    order_.own.push_back(Parse(bytes));
    if (--missing_ > 0) return;
    replies = std::move(order_.own);
  }
  OutputBuffer out;
  ReplyWriter writer(out, order_.version);
  WriteReply(order_.combine(std::move(replies)), writer);
  done_(std::string(out.view()));
}

}  // namespace mayfly::server
