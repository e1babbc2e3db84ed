#include "server/testing/command_tester.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/run_handler.h"
#include "wire/inline_command.h"
#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

Reply ErrorReply(const Answer& answer) { return Reply::Text(Reply::Kind::kError, answer.error()); }

}  // namespace

CommandTester::CommandTester(std::vector<CommandFamily> families, Rows rows)
    : families_(std::move(families)),
      rows_(rows),
      database_handle_(Must(Database::Open({.clock = &clock_}))) {
  for (int i = 0; i < kDatabases; ++i) {
    keyspaces_.push_back(Must(database_handle_->CreateKeyspace(fmt::format("db{}", i))));
  }
}

CommandTester::~CommandTester() = default;

Reply CommandTester::Run(const std::string& line) {
  std::vector<Reply> replies = RunAll(line);
  if (replies.size() != 1) throw std::runtime_error("not one reply to " + line);
  return std::move(replies.front());
}

std::vector<Reply> CommandTester::RunAll(const std::string& line) {
  std::string copy = line;
  std::vector<Bytes> views;
  if (!SplitInlineCommand(copy.data(), copy.data() + copy.size(), views)) {
    throw std::runtime_error("unbalanced quotes in " + line);
  }
  return RunViews(views);
}

Reply CommandTester::RunArgs(const std::vector<std::string>& args) {
  std::vector<Reply> replies = RunViews(std::vector<Bytes>(args.begin(), args.end()));
  if (replies.size() != 1) throw std::runtime_error("not one reply to " + args.front());
  return std::move(replies.front());
}

std::vector<Reply> CommandTester::RunViews(std::span<const Bytes> args) {
  notifications_.clear();
  blocked_.reset();
  found_ = missed_ = 0;
  std::string error;
  const CommandSpec* const spec = Find(args, error);
  if (spec == nullptr) return {ErrorReply(Answer::Error(error))};
  OutputBuffer out;
  ReplyWriter writer(out, version_);
  const bool without_transaction = (spec->flags & kNoRows) != 0;
  if (!without_transaction) transaction_ = NewTransaction();
  Call call{.args = args,
            .reply = writer,
            .transaction = transaction_.get(),
            .database = database_,
            .host = *this,
            .may_block = may_block_,
            .retried = retried_};
  const Answer answer = RunHandler(*spec, call, out);
  const Status committed = without_transaction ? Status() : transaction_->Commit();
  transaction_.reset();
  if (!committed.ok()) throw std::runtime_error(committed.ToString());
  if (answer.later()) return {Reply::Null()};
  ReplyParser parser;
  parser.Feed(out.view());
  std::vector<Reply> replies;
  while (std::optional<Reply> reply = Must(parser.Next())) replies.push_back(*std::move(reply));
  if (parser.buffered_bytes() != 0) {
    throw std::runtime_error("half a reply to " + std::string(args.front()));
  }
  return replies;
}

std::unique_ptr<core::LatchedTransaction> CommandTester::NewTransaction() {
  if (rows_ == Rows::kPlainMaps)
    return std::make_unique<core::PlainTransaction>(state_, clock_.Now());
  return Must(core::BeginLatched(*database_handle_, {.everything = true}));
}

std::string CommandTester::Text(const std::string& line) { return TextOf(Run(line)); }

core::TransactionKeyspace& CommandTester::Space(core::LatchedTransaction& transaction,
                                                int database) {
  return transaction.In(*keyspaces_.at(static_cast<std::size_t>(database)));
}

void CommandTester::Notify(NotifyClass kind, std::string_view event, int database, Bytes key) {
  notifications_.push_back(
      fmt::format("{} {} {} {}", static_cast<char>(kind), event, database, key));
}

void CommandTester::CountReads(std::uint64_t found, std::uint64_t missed) {
  found_ += found;
  missed_ += missed;
}

std::string CommandTester::reads() const { return fmt::format("{}/{}", found_, missed_); }

const CommandSpec* CommandTester::FindName(Bytes name) const {
  for (const CommandFamily& family : families_) {
    for (const CommandSpec& spec : family.commands) {
      if (IsWord(name, spec.name)) return &spec;
    }
  }
  return nullptr;
}

const CommandSpec* CommandTester::Find(std::span<const Bytes> args, std::string& error) const {
  const CommandSpec* spec = FindName(args.front());
  if (spec == nullptr) {
    error = fmt::format("ERR unknown command '{}'", args.front());
    return nullptr;
  }
  std::string name(spec->name);
  if (!spec->subcommands.empty() && args.size() > 1) {
    const auto& subcommands = spec->subcommands;
    const auto found =
        std::find_if(subcommands.begin(), subcommands.end(),
                     [&](const CommandSpec& one) { return IsWord(args[1], one.name); });
    if (found == subcommands.end()) {
      error = fmt::format("ERR unknown subcommand '{}'. Try {} HELP.", args[1], ToUpper(name));
      return nullptr;
    }
    spec = &*found;
    name += fmt::format("|{}", spec->name);
  }
  const auto count = static_cast<int>(args.size());
  const bool fits = spec->arity >= 0 ? count == spec->arity : count >= -spec->arity;
  if (fits && spec->handler != nullptr) return spec;
  error = Answer(WrongArity(name)).error();
  return nullptr;
}

std::string TextOf(const Reply& reply) {
  const auto items = [&] {
    std::vector<std::string> texts;
    for (const Reply& item : reply.items()) texts.push_back(TextOf(item));
    return texts;
  };
  switch (reply.kind) {
    case Reply::Kind::kNull: return "(nil)";
    case Reply::Kind::kNullArray: return "(nil array)";
    case Reply::Kind::kInteger: return std::to_string(reply.integer());
    case Reply::Kind::kDouble: return fmt::format("{}", reply.number());
    case Reply::Kind::kBoolean: return reply.boolean() ? "true" : "false";
    case Reply::Kind::kArray:
    case Reply::Kind::kSet:
    case Reply::Kind::kPush: return fmt::format("[{}]", fmt::join(items(), ", "));
    case Reply::Kind::kMap: {
      const auto texts = items();
      std::string text;
      for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
        text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", texts[i], texts[i + 1]);
      }
      return fmt::format("{{{}}}", text);
    }
    case Reply::Kind::kSimpleString:
    case Reply::Kind::kError:
    case Reply::Kind::kBulk:
    case Reply::Kind::kBulkError:
    case Reply::Kind::kVerbatim:
    case Reply::Kind::kBigNumber: break;
  }
  return reply.text();
}

}  // namespace mayfly::server
