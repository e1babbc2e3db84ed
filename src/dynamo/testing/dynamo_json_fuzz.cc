// Goal: no body crashes the service, whatever the operation, and every reply is JSON.
// Method: the first byte chooses the operation, the rest is the body; fake tables with one table.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dynamo/json/json.h"
#include "dynamo/operations/operations.h"
#include "dynamo/service.h"
#include "dynamo/testing/asked.h"
#include "dynamo/testing/fake_tables.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly;
  using namespace mayfly::dynamo;
  if (size == 0) return 0;
  const ManualClock clock(WallTimeFromMs(1'700'000'000'000));
  FakeTables tables(clock);
  static_cast<void>(tables.CreateTable({.name = "tab",
                                        .partition = {"p", KeyType::kString},
                                        .stream = StreamView::kNewAndOldImages}));
  Service service(tables, clock, SilentLogger());
  const auto& operations = AllOperations();
  const Operation& operation = operations[data[0] % operations.size()];
  const http::Response response =
      AnswerOf(service, RequestOf(std::string(operation.prefix) + "." + std::string(operation.name),
                                  std::string(reinterpret_cast<const char*>(data) + 1, size - 1)));
  if (response.status != 200 && response.status != 400) std::abort();
  if (!ParseJson(response.body)) std::abort();
  return 0;
}
