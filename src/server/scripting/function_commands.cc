#include "server/scripting/function_commands.h"

#include "server/command/arguments.h"
#include "server/scripting/function_requests.h"
#include "server/scripting/run_script.h"

namespace mayfly::server {
namespace {

Answer CallFunction(Call& call, bool read_only) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  MAYFLY_TRY(const auto catalogue, FindCatalogue(call, *context, /*walks=*/false));
  const std::shared_ptr<const Script> function = catalogue->Function(call.args[1]);
  if (function == nullptr) return Status::Invalid("Function not found");
  if (!IntegerArgument(call.args[2])) return Status::Invalid("Bad number of keys provided");
  return RunScript(call, *context, *function, read_only);
}

Answer Fcall(Call& call) { return CallFunction(call, false); }
Answer FcallReadOnly(Call& call) { return CallFunction(call, true); }

constexpr std::uint32_t kFcall = kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kEverything;

// clang-format off
constexpr CommandSpec kFunctionCommands[] = {
    {"fcall",    -3, kFcall,             NumberedKeys(kRW | kAccess | kUpdate, 2),    Fcall,
     {"Call a function.", "7.0.0", "that of the function", "function numkeys:int [key]... [arg]..."}},
    {"fcall_ro", -3, kFcall | kReadOnly, NumberedKeys(kRO | kAccess | kUncounted, 2), FcallReadOnly,
     {"Call a function that only reads.", "7.0.0", "that of the function",
      "function numkeys:int [key]... [arg]..."}},
};
// clang-format on

}  // namespace

CommandFamily FunctionFamily() { return {"scripting", Category::kFunctions, kFunctionCommands}; }

}  // namespace mayfly::server
