// assets.h - the console's static files, which are a part of the binary: embed_assets.py makes the
// table from the built page. A request's path is looked up in it and reaches no file system.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace mayfly::console {

struct Asset {
  std::string_view path;  // "/console", "/console/assets/main-1a2b3c.js".
  std::string_view content_type;
  std::string_view etag;   // Of the content, with its quotes.
  bool named_by_content;   // Another content has another path: a browser need not ask again.
  std::size_t size;        // Of the content.
  std::string_view bytes;  // Compressed by gzip.
};

std::span<const Asset> Assets();

}  // namespace mayfly::console
