// response_text.h - a response as bytes.
#pragma once

#include <string>

#include "http/router.h"

namespace mayfly::http {

struct AnswerManner {
  unsigned version = 11;  // Or 10.
  bool keep_alive = false;
  bool without_body = false;  // For HEAD: its length is sent nevertheless.
};

// Appends to `out`, which may hold responses already.
void AppendResponse(std::string& out, const Response& response, const AnswerManner& manner);

// For a client that sent "Expect: 100-continue".
void AppendContinue(std::string& out);

}  // namespace mayfly::http
