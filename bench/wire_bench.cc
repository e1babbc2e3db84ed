// wire_bench - what the Redis protocol costs on buffers, without sockets and commands.
// Times are per command or per reply, whatever the length of the pipeline. A pipeline is fed as by
// a server: it reserves room, copies bytes into it as read() would, and takes commands until there
// are none.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "base/glob.h"
#include "base/random.h"
#include "wire/byte_buffer.h"
#include "wire/reply_parser.h"
#include "wire/reply_writer.h"
#include "wire/request_parser.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{16} * 1024;  // What Redis reads at once.
constexpr std::size_t kKeyBytes = 16;

// A command as clients send it: an array of bulk strings.
void WriteCommand(OutputBuffer& out, std::initializer_list<Bytes> args) {
  ReplyWriter writer(out, ProtocolVersion::kResp2);
  writer.Array(args.size());
  for (const Bytes arg : args) writer.Bulk(arg);
}

std::string Pipeline(std::size_t commands, std::size_t value_bytes) {
  Random random(1);
  OutputBuffer out;
  for (std::size_t i = 0; i < commands; ++i) {
    const std::string key = random.Bytes(kKeyBytes);
    if (value_bytes == 0) {
      WriteCommand(out, {"GET", key});
    } else {
      WriteCommand(out, {"SET", key, random.Bytes(value_bytes)});
    }
  }
  return std::string(out.view());
}

// Feeds all of `wire` in reads of at most kReadBytes, or of as much as the parser asks for. Returns
// the number of commands.
std::size_t Play(RequestParser& parser, Bytes wire) {
  std::size_t commands = 0;
  while (!wire.empty()) {
    const std::span<char> room = parser.Prepare(kReadBytes);
    const Bytes piece = wire.substr(0, room.size());
    std::memcpy(room.data(), piece.data(), piece.size());
    parser.Commit(piece.size());
    wire.remove_prefix(piece.size());
    while (parser.Next() == RequestParser::Outcome::kCommand) {
      benchmark::DoNotOptimize(parser.args().data());
      ++commands;
    }
  }
  return commands;
}

// For a loop that does `each` things per turn: its times are then those of one thing.
bool KeepRunning(benchmark::State& state, std::size_t each) {
  return state.KeepRunningBatch(static_cast<benchmark::IterationCount>(each));
}

// `bytes`: of `each` things.
void CountBytes(benchmark::State& state, std::size_t each, std::size_t bytes) {
  const auto turns = static_cast<std::size_t>(state.iterations()) / each;
  state.SetBytesProcessed(static_cast<std::int64_t>(turns * bytes));
}

// Arguments: commands in the pipeline, bytes of the value (0: GET).
void ParsePipeline(benchmark::State& state) {
  const auto commands = static_cast<std::size_t>(state.range(0));
  const std::string wire = Pipeline(commands, static_cast<std::size_t>(state.range(1)));
  RequestParser parser;
  while (KeepRunning(state, commands)) {
    if (Play(parser, wire) != commands) state.SkipWithError("not all commands were read");
  }
  CountBytes(state, commands, wire.size());
}
BENCHMARK(ParsePipeline)->ArgsProduct({{1, 16, 64}, {0, 16, 100}})->ArgNames({"depth", "value"});

// The same without parsing: the cost of copying the bytes in.
void CopyPipeline(benchmark::State& state) {
  const auto commands = static_cast<std::size_t>(state.range(0));
  const std::string wire = Pipeline(commands, static_cast<std::size_t>(state.range(1)));
  ByteBuffer buffer;
  while (KeepRunning(state, commands)) {
    buffer.Append(wire);
    benchmark::DoNotOptimize(buffer.data());
    buffer.Clear();
  }
  CountBytes(state, commands, wire.size());
}
BENCHMARK(CopyPipeline)->ArgsProduct({{1, 16, 64}, {0, 100}})->ArgNames({"depth", "value"});

void ParseInline(benchmark::State& state) {
  std::string wire;
  for (int i = 0; i < 16; ++i) wire += "SET key:0000000000 \"some value\"\r\n";
  RequestParser parser;
  while (KeepRunning(state, 16)) benchmark::DoNotOptimize(Play(parser, wire));
  CountBytes(state, 16, wire.size());
}
BENCHMARK(ParseInline);

void ParseLargeValue(benchmark::State& state) {
  const std::string wire = Pipeline(1, static_cast<std::size_t>(state.range(0)));
  const bool fresh = state.range(1) != 0;
  RequestParser parser;
  while (KeepRunning(state, 1)) {
    if (Play(parser, wire) != 1) state.SkipWithError("the command was not read");
    if (fresh) {
      benchmark::DoNotOptimize(parser.Next());
      parser.Release();
    }
  }
  CountBytes(state, 1, wire.size());
}
BENCHMARK(ParseLargeValue)->ArgsProduct({{1 << 20, 1 << 26}, {0, 1}})->ArgNames({"value", "fresh"});

// Writes 64 replies and empties the buffer, as a server that has sent them.
template <typename Write>
void WriteReplies(benchmark::State& state, ProtocolVersion version, Write write) {
  OutputBuffer out;
  std::size_t bytes = 0;
  while (KeepRunning(state, 64)) {
    ReplyWriter writer(out, version);
    for (std::int64_t i = 0; i < 64; ++i) write(writer, i);
    benchmark::DoNotOptimize(out.data());
    bytes = out.size();
    out.Clear();
  }
  CountBytes(state, 64, bytes);
}

void WriteOk(benchmark::State& state) {
  WriteReplies(state, ProtocolVersion::kResp2,
               [](ReplyWriter& writer, std::int64_t) { writer.Ok(); });
}
BENCHMARK(WriteOk);

void WriteSimpleString(benchmark::State& state) {
  WriteReplies(state, ProtocolVersion::kResp2,
               [](ReplyWriter& writer, std::int64_t) { writer.SimpleString("QUEUED"); });
}
BENCHMARK(WriteSimpleString);

void WriteInteger(benchmark::State& state) {
  WriteReplies(state, ProtocolVersion::kResp2,
               [](ReplyWriter& writer, std::int64_t i) { writer.Integer(i * 1'000'003); });
}
BENCHMARK(WriteInteger);

void WriteBulk(benchmark::State& state) {
  const std::string value(static_cast<std::size_t>(state.range(0)), 'v');
  WriteReplies(state, ProtocolVersion::kResp2,
               [&](ReplyWriter& writer, std::int64_t) { writer.Bulk(value); });
}
BENCHMARK(WriteBulk)->Arg(16)->Arg(100)->Arg(1 << 20);

void WriteDouble(benchmark::State& state) {
  const bool whole = state.range(0) != 0;
  WriteReplies(state, ProtocolVersion::kResp3, [&](ReplyWriter& writer, std::int64_t i) {
    writer.Double(whole ? static_cast<double>(i) : static_cast<double>(i) + 0.1);
  });
}
BENCHMARK(WriteDouble)->Arg(0)->Arg(1)->ArgName("whole");

// Per element of an array of 1000 whose size is set at its end.
void WriteDeferredArray(benchmark::State& state) {
  OutputBuffer out;
  while (KeepRunning(state, 1000)) {
    ReplyWriter writer(out, ProtocolVersion::kResp3);
    const ReplyWriter::Deferred array = writer.BeginDeferred(Aggregate::kArray);
    for (int i = 0; i < 1000; ++i) writer.Bulk("some member");
    writer.EndDeferred(array, 1000);
    benchmark::DoNotOptimize(out.data());
    out.Clear();
  }
}
BENCHMARK(WriteDeferredArray);

// Per value of an array of 100 bulk strings.
void ParseReply(benchmark::State& state) {
  OutputBuffer out;
  ReplyWriter writer(out, ProtocolVersion::kResp3);
  writer.Array(100);
  for (int i = 0; i < 100; ++i) writer.Bulk("some member");
  ReplyParser parser;
  while (KeepRunning(state, 100)) {
    parser.Feed(out.view());
    benchmark::DoNotOptimize(parser.Next());
  }
  CountBytes(state, 100, out.size());
}
BENCHMARK(ParseReply);

void MatchGlob(benchmark::State& state) {
  const Bytes pattern = state.range(0) == 0 ? "user:*:session" : "*[0-9]:ses*on";
  while (KeepRunning(state, 1)) {
    benchmark::DoNotOptimize(GlobMatches(pattern, "user:0000012345:session"));
  }
}
BENCHMARK(MatchGlob)->Arg(0)->Arg(1)->ArgName("class");

}  // namespace
}  // namespace mayfly::bench

BENCHMARK_MAIN();
