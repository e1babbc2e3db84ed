#include "console/static_files.h"

#include <zlib.h>

#include "base/check.h"
#include "console/request_check.h"
#include "console/responses.h"

namespace mayfly::console {
namespace {

constexpr int kNotModified = 304;
constexpr int kGzipOnly = 16;  // Added to the window's bits: zlib takes gzip and nothing else.

// "gzip" is a word of the list. One with q=0 is not looked for: no browser sends it.
bool TakesGzip(const http::Request& request) {
  return request.Header("accept-encoding").find("gzip") != std::string_view::npos;
}

http::Response Serve(const Asset& asset, const http::Request& request) {
  http::Response response{.content_type = asset.content_type, .body = {}};
  Dress(response);
  response.headers["ETag"] = std::string(asset.etag);
  response.headers["Cache-Control"] =
      asset.named_by_content ? "public, max-age=31536000, immutable" : "no-cache";
  response.headers["Vary"] = "Accept-Encoding";
  if (request.Header("if-none-match") == asset.etag) {
    response.status = kNotModified;
  } else if (TakesGzip(request)) {
    response.headers["Content-Encoding"] = "gzip";
    response.body = std::string(asset.bytes);
  } else {
    response.body = Unpacked(asset);
  }
  return response;
}

}  // namespace

std::string Unpacked(const Asset& asset) {
  std::string content(asset.size, '\0');
  z_stream stream{};
  MAYFLY_CHECK(inflateInit2(&stream, MAX_WBITS + kGzipOnly) == Z_OK, "zlib has no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(asset.bytes.data()));
  stream.avail_in = static_cast<uInt>(asset.bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int outcome = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  MAYFLY_CHECK(outcome == Z_STREAM_END && stream.avail_out == 0, "an asset was not embedded whole");
  return content;
}

void AddStaticFiles(http::Router& router, const server::Config& config) {
  for (const Asset& asset : Assets()) {
    const http::Handler handler = [&asset, &config](const http::Request& request) {
      if (auto refused = RefuseStranger(request, config)) return *std::move(refused);
      return Serve(asset, request);
    };
    router.Add("GET", std::string(asset.path), handler);
    if (asset.path == "/console") router.Add("GET", "/console/", handler);
  }
}

}  // namespace mayfly::console
