// response_text.h - an answer as its client reads it.
#pragma once

#include <string>

#include "http/router.h"

namespace mayfly::http {

struct AnswerManner {
  unsigned version = 11;  // Or 10.
  bool keep_alive = false;
  bool without_body = false;  // Of HEAD: its length is told nevertheless.
};

// To the end of `out`, which may hold answers already.
void AppendResponse(std::string& out, const Response& response, const AnswerManner& manner);

// For a client that waits for a word before it sends its body.
void AppendContinue(std::string& out);

}  // namespace mayfly::http
