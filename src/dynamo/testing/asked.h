// asked.h - sends one request to a service. For tests.
#pragma once

#include <string>
#include <utility>

#include "dynamo/service.h"

namespace mayfly::dynamo {

// CreateTable of "tab", whose only key is "p", a string.
inline constexpr const char* kCreateTab = R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",
  "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
  "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}]})";

inline http::Request RequestOf(std::string target, std::string body) {
  http::Request request;
  request.method = "POST";
  request.path = "/";
  request.body = std::move(body);
  request.headers["host"] = "here:8000";
  request.headers["x-amz-target"] = std::move(target);
  return request;
}

inline http::Response AnswerOf(Service& service, http::Request request) {
  http::Exchange exchange{.request = std::move(request), .response = std::nullopt};
  http::Exchange* const one[] = {&exchange};
  service.Answer(one);
  return std::move(exchange.response).value();
}

}  // namespace mayfly::dynamo
