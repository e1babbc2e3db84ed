// signature.h - Signature Version 4: authenticates the sender of a request and its content.
//   key     = HMAC(HMAC(HMAC(HMAC("AWS4" secret, day), region), service), "aws4_request")
//   signed  = "AWS4-HMAC-SHA256" \n date \n scope \n SHA256(method, path, query, headers, body)
// The form with an Authorization header; signatures in the query are for other services. The order
// of checks, and their words, are DynamoDB's.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dynamo/json/refusal.h"
#include "http/router.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::dynamo {

using Secrets = std::map<std::string, std::string, std::less<>>;  // By access key id.

// "ID:SECRET,ID2:SECRET2". Invalid names the malformed entry and never shows a secret.
Result<Secrets> ReadSecrets(std::string_view text);

// Refused, unless one of `secrets` signed the request not more than 15 minutes from `now`, for the
// region; empty: for any.
Outcome<void> CheckSignature(const http::Request& request, const Secrets& secrets,
                             std::string_view region, WallTime now);

// The signature alone, from the header's parts; for tests, and for clients.
struct SignedParts {
  std::string date;  // "20130524T000000Z".
  std::string day;   // "20130524".
  std::string region;
  std::string service;
  std::string headers;  // "host;x-amz-date", as they stand in SignedHeaders.
};
std::string CanonicalRequest(const http::Request& request, const std::string& signed_headers);
std::string Sign(const http::Request& request, const SignedParts& parts, std::string_view secret);

}  // namespace mayfly::dynamo
