// secret.h - bytes that must not outlive their use: passwords and keys.
// The destructor overwrites them, and copies are explicit.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::size_t size);  // Zeros, to be filled.
  explicit Secret(Bytes bytes);       // A copy.
  ~Secret() { Clear(); }
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Bytes view() const { return {bytes_.get(), size_}; }
  unsigned char* data() { return reinterpret_cast<unsigned char*>(bytes_.get()); }
  const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(bytes_.get()); }

  void Clear();

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

// From the system's source of randomness. IoError when it fails.
Result<Secret> RandomSecret(std::size_t size);
Result<std::string> RandomBytes(std::size_t size);  // For salts and nonces, which are no secrets.

}  // namespace mayfly::crypto
