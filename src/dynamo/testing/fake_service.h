// fake_service.h - the service on fake tables, called in one line.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "dynamo/json/json.h"
#include "dynamo/service.h"
#include "dynamo/testing/asked.h"
#include "dynamo/testing/fake_tables.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"

namespace mayfly::dynamo {

class FakeService {
 public:
  explicit FakeService(ServiceOptions options = {})
      : service_(tables, clock, SilentLogger(), std::move(options)) {}

  ManualClock clock{WallTimeFromMs(1'700'000'000'000)};
  FakeTables tables{clock};

  // The body, whatever the status. An operation without a prefix gets that of DynamoDB's tables.
  json::object Call(const std::string& operation, const std::string& body) {
    const http::Response response = Answer(operation, body);
    status = response.status;
    auto parsed = ParseJson(response.body);
    EXPECT_TRUE(parsed.has_value()) << response.body;
    return parsed ? parsed->as_object() : json::object();
  }

  http::Response Answer(const std::string& operation, const std::string& body) {
    const bool prefixed = operation.find('.') != std::string::npos;
    return AnswerOf(service_,
                    RequestOf(prefixed ? operation : "DynamoDB_20120810." + operation, body));
  }

  // "ValidationException: the message", of a call that must fail.
  std::string Error(const std::string& operation, const std::string& body) {
    const json::object reply = Call(operation, body);
    EXPECT_NE(status, 200) << operation << " " << body;
    const json::value* const type = reply.if_contains("__type");
    if (type == nullptr) return ToText(reply);
    const std::string name(View(type->as_string()));
    const json::value* message = reply.if_contains("message");
    if (message == nullptr) message = reply.if_contains("Message");
    return name.substr(name.find('#') + 1) +
           (message == nullptr ? "" : ": " + std::string(View(message->as_string())));
  }

  // The reply as text, of a call that must not fail.
  std::string Text(const std::string& operation, const std::string& body) {
    const json::object reply = Call(operation, body);
    EXPECT_EQ(status, 200) << operation << " " << body << " " << ToText(reply);
    return ToText(reply);
  }

  // A table of strings: partition "p", sort "s".
  void CreateTable(const std::string& name, const std::string& more = "") {
    Text("CreateTable", R"({"TableName": ")" + name + R"(",
      "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"},
                               {"AttributeName": "s", "AttributeType": "S"}],
      "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"},
                    {"AttributeName": "s", "KeyType": "RANGE"}],
      "BillingMode": "PAY_PER_REQUEST")" +
                            more + "}");
  }

  int status = 0;  // Of the last call.

 private:
  Service service_;
};

}  // namespace mayfly::dynamo
