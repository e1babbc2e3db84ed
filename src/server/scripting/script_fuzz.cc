// Goal: no call of any function that scripts have, with any arguments, breaks the process.
// Method: the input chooses functions of all libraries and arguments from a list of nasty ones, or
// results of earlier calls; some inputs are texts of scripts as they are. Each call is caught, so
// that a script goes on to the next. A script that runs for long is stopped.
#include <cstdint>
#include <string>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

constexpr const char* kFunctions[] = {
    "assert",
    "collectgarbage",
    "error",
    "gcinfo",
    "ipairs",
    "getmetatable",
    "next",
    "pairs",
    "rawequal",
    "rawget",
    "rawset",
    "select",
    "tonumber",
    "tostring",
    "type",
    "xpcall",
    "pcall",
    "setmetatable",
    "unpack",
    "load",
    "loadstring",
    "coroutine.create",
    "coroutine.resume",
    "coroutine.running",
    "coroutine.status",
    "coroutine.wrap",
    "coroutine.yield",
    "math.abs",
    "math.ceil",
    "math.fmod",
    "math.frexp",
    "math.ldexp",
    "math.max",
    "math.random",
    "math.randomseed",
    "math.pow",
    "string.byte",
    "string.char",
    "string.dump",
    "string.find",
    "string.format",
    "string.gmatch",
    "string.gsub",
    "string.len",
    "string.lower",
    "string.match",
    "string.rep",
    "string.reverse",
    "string.sub",
    "string.upper",
    "table.concat",
    "table.foreach",
    "table.foreachi",
    "table.getn",
    "table.insert",
    "table.maxn",
    "table.remove",
    "table.setn",
    "table.sort",
    "bit.tobit",
    "bit.bnot",
    "bit.bswap",
    "bit.band",
    "bit.bor",
    "bit.bxor",
    "bit.lshift",
    "bit.rshift",
    "bit.arshift",
    "bit.rol",
    "bit.ror",
    "bit.tohex",
    "cjson.encode",
    "cjson.decode",
    "cjson.encode_sparse_array",
    "cjson.encode_max_depth",
    "cjson.decode_max_depth",
    "cjson.encode_number_precision",
    "cjson.encode_keep_buffer",
    "cjson.encode_invalid_numbers",
    "cjson.decode_invalid_numbers",
    "cmsgpack.pack",
    "cmsgpack.unpack",
    "cmsgpack.unpack_one",
    "cmsgpack.unpack_limit",
    "struct.pack",
    "struct.unpack",
    "struct.size",
    "os.clock",
    "redis.call",
    "redis.pcall",
    "redis.error_reply",
    "redis.status_reply",
    "redis.sha1hex",
    "redis.setresp",
    "redis.log",
    "redis.acl_check_cmd",
    "redis.set_repl",
};

constexpr const char* kArguments[] = {
    "nil",
    "true",
    "0",
    "1",
    "-1",
    "2",
    "16",
    "255",
    "1000",
    "65536",
    "2147483647",
    "-2147483648",
    "2147483648",
    "4294967295",
    "9007199254740992",
    "1e300",
    "-1e300",
    "0/0",
    "1/0",
    "-1/0",
    "0.5",
    "''",
    "'a'",
    "'%'",
    "'%s%d%q%99.99f'",
    "'\\0'",
    "'[['",
    "'%b()%f[a]'",
    "'(.-)%1'",
    "'[^'",
    "'get'",
    "'set'",
    "'[1,{\"a\":[nan]}]'",
    "'!8bBhHlLi3I5fdsc0c9x'",
    "'>Lc0'",
    "'i32'",
    "'\\146\\1\\161x\\199\\255'",
    "'return {}'",
    "'@name'",
    "'step'",
    "'count'",
    "'collect'",
    "'#'",
    "('x'):rep(70000)",
    "('a?'):rep(40)",
    "('['):rep(2000)",
    "{}",
    "{1,2,3}",
    "{{}}",
    "{[1]=1,a=2}",
    "{[2147483647]=1}",
    "{[-1]=1}",
    "setmetatable({},{__index=error})",
    "setmetatable({},{__mode='kv'})",
    "function(...) return ... end",
    "function() error({}) end",
    "error",
    "string.len",
    "pcall",
    "redis",
    "string",
    "_G",
    "cjson.null",
    "KEYS",
    "coroutine.create(function(...) return coroutine.yield(...) end)",
    "coroutine.wrap(error)",
};

// Ends a script after a while.
class ImpatientHost final : public ScriptHost {
 public:
  ImpatientHost(ScriptEngine& engine, PlainScriptHost& host) : engine_(engine), host_(host) {}
  Reply Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) override {
    if (args.size() < 3) return Reply::Null();
    return host_.Call(args, version, run);
  }
  std::optional<bool> MayCall(std::span<const Bytes> args) override { return host_.MayCall(args); }
  void Breathe(ScriptRun& /*run*/) override {
    if (++breaths_ > 20) engine_.Kill(ScriptEngine::Kind::kAny, true);
  }
  void Log(LogLevel, Bytes) override {}

 private:
  ScriptEngine& engine_;
  PlainScriptHost& host_;
  int breaths_ = 0;
};

std::string ScriptOf(const std::uint8_t* data, std::size_t size) {
  std::size_t at = 0;
  const auto next = [&]() -> unsigned { return at < size ? data[at++] : 0U; };
  std::string script = "local v={} ";
  int calls = 0;
  while (at < size && calls < 24) {
    script += std::string("v[#v+1]=select(2,pcall(") + kFunctions[next() % std::size(kFunctions)];
    for (unsigned count = next() % 5; count > 0; --count) {
      const unsigned which = next();
      script += which < 48 && calls > 0
                    ? ",v[" + std::to_string(which % 24 + 1) + "]"
                    : std::string(",") + kArguments[which % std::size(kArguments)];
    }
    script += ")) ";
    ++calls;
  }
  return script + "return v";
}

}  // namespace
}  // namespace mayfly::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly::server;
  static const mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  static ScriptEngine engine(clock, {.memory_bytes_max = std::size_t{8} << 20,
                                     .reply = {.bytes_max = 1 << 20, .values_max = 10'000}});
  if (size == 0) return 0;
  PlainScriptHost plain;
  ImpatientHost host(engine, plain);
  const std::string script = data[0] % 8 == 0
                                 ? std::string(reinterpret_cast<const char*>(data) + 1, size - 1)
                                 : ScriptOf(data + 1, size - 1);
  WireOfScript(engine, host, script, {"key"}, {"arg"});
  if (engine.count() > 200) engine.Flush();
  return 0;
}
