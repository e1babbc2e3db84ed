// transport.h - what of an HTTP message is not the operation's: content types, compression, what
// browsers ask for, the checksum and the date. AWS' rules, and one of our own: see MayRead().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/refusal.h"
#include "http/router.h"
#include "mayfly/clock.h"

namespace mayfly::dynamo {

// The type of the response to a request: its own, application/x-amz-json-1.0 if it has none. A type
// that is not JSON's is a literal "", but for that of curl's -d, which says nothing.
std::string_view ContentTypeFor(const http::Request& request);

// What AWS answers to a request of another type: 404, and no JSON.
http::Response NotJson();

// The body as it was before Content-Encoding: gzip. Refused: another encoding, bytes that are no
// gzip, more than kRequestBytesMax.
Outcome<std::string> InflatedBody(const http::Request& request);

// Which pages of other origins a browser may let read responses.
struct Origins {
  std::vector<std::string> named;  // "*": all.
  bool any = false;                // Requests are signed: the origin does not matter.
};

Origins ReadOrigins(std::string_view text, bool requests_are_signed);

// Without signatures only pages of this machine may, and those that are named: any page that a
// developer visits could read and write the tables otherwise.
bool MayRead(const Origins& origins, std::string_view origin);

// The response to a browser's question before a request (OPTIONS).
http::Response Preflight(const http::Request& request, const Origins& origins);

// Adds what every response has: its date, its checksum, the permission for a browser; compresses a
// long body for a client that takes that. The checksum is of the bytes that are sent.
void Dress(const http::Request& request, const Origins& origins, WallTime now,
           http::Response& response);

}  // namespace mayfly::dynamo
