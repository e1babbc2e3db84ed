// database_key.h - the key of a database, and how a password opens it.
// The key is random and never changes while its files exist. scrypt, which costs an attacker memory
// for each guess, derives from the password a key that encrypts the database's key (GCM). So a
// wrong password is detected at once, and a new password needs no new files.
//   mayfly key 1
//   kdf scrypt 32768 8 3          its N, r and p
//   salt <32 hex digits>
//   nonce <24 hex digits>
//   key <96 hex digits>           the key, encrypted, with GCM's tag; authenticates lines 1 to 3
//   check <16 hex digits>         Hash64 of the lines above: tells damage from a wrong password
// Layout: docs/formats/encryption.md.
#pragma once

#include <memory>
#include <string>

#include "crypto/cipher.h"
#include "crypto/secret.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

// Longer passwords are Invalid.
inline constexpr std::size_t kPasswordBytesMax = 4096;

class DatabaseKey {
 public:
  // Makes a new key. Invalid when the password is empty or too long.
  static Result<std::shared_ptr<const DatabaseKey>> Make(Bytes password);

  // Decrypts the key. WrongPassword when the password is wrong; Corruption when the text is
  // damaged; Unsupported when a newer mayfly wrote it.
  static Result<std::shared_ptr<const DatabaseKey>> Open(Bytes text, Bytes password);

  // The same key under another password.
  Result<std::shared_ptr<const DatabaseKey>> WithPassword(Bytes password) const;

  // The lines above. They are useless without the password.
  const std::string& text() const { return text_; }

  Result<Secret> Derive(Bytes purpose, Bytes nonce) const {
    return DeriveKey(key_, purpose, nonce);
  }

 private:
  DatabaseKey(Secret key, std::string text) : key_(std::move(key)), text_(std::move(text)) {}

  static Result<std::shared_ptr<const DatabaseKey>> SealedBy(Bytes password, Secret key);

  const Secret key_;
  const std::string text_;
};

}  // namespace mayfly::crypto
