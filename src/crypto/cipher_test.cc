// Ciphers are standard AES-256, at every offset, and detect changes.
// Method: published vectors (NIST SP 800-38A F.5.5, the GCM specification's case 16), and pieces
// compared with the whole.
#include "crypto/cipher.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/random.h"
#include "base/text.h"

namespace mayfly::crypto {
namespace {

std::string Decoded(std::string_view hex) { return FromHex(hex).value(); }

std::string Applied(const CounterCipher& cipher, std::uint64_t offset, const std::string& in) {
  std::string out(in.size(), '\0');
  EXPECT_TRUE(cipher.Apply(offset, in, out.data()));
  return out;
}

TEST(CounterCipher, IsAesInCounterMode) {
  // The counter of block 0 is zero, so its keystream is AES of sixteen zero bytes: with a key of
  // zeros, a published vector.
  const auto cipher = CounterCipher::Make(Secret(kKeyBytes)).value();
  EXPECT_EQ(Applied(*cipher, 0, std::string(16, '\0')),
            Decoded("dc95c078a2408989ad48a21492842087"));
  // Block 1: AES of 1.
  EXPECT_EQ(Applied(*cipher, 16, std::string(16, '\0')),
            Decoded("530f8afbc74536b9a963b4f1c4cb738b"));
}

TEST(CounterCipher, GivesTheSameInPiecesAsAtOnce) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  const auto cipher = CounterCipher::Make(Secret(random.Bytes(kKeyBytes))).value();
  const std::string plain = random.Bytes(4096);
  for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1} << 40}) {
    const std::string whole = Applied(*cipher, base, plain);
    EXPECT_NE(whole, plain);
    std::string pieces;
    while (pieces.size() < plain.size()) {
      const std::string piece = plain.substr(pieces.size(), random.Between(1, 100));
      pieces += Applied(*cipher, base + pieces.size(), piece);
    }
    EXPECT_EQ(pieces, whole);
    EXPECT_EQ(Applied(*cipher, base, whole), plain) << "the same again takes it off";
  }
}

TEST(CounterCipher, ServesManyThreads) {
  const auto cipher = CounterCipher::Make(Secret(std::string(kKeyBytes, 'k'))).value();
  const std::string plain(1000, 'p');
  const std::string expected = Applied(*cipher, 5, plain);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) wrong += Applied(*cipher, 5, plain) != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Seal, IsGcmAsItsSpecificationHasIt) {
  const Secret key(Decoded("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"));
  const std::string nonce = Decoded("cafebabefacedbaddecaf888");
  const std::string associated = Decoded("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const std::string plain = Decoded(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6"
      "b525b16aedf5aa0de657ba637b39");
  const std::string expected = Decoded(
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b105682"
      "8838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b");
  std::string sealed(plain.size() + kTagBytes, '\0');
  ASSERT_TRUE(Seal(key, nonce, associated, plain, sealed.data()).ok());
  EXPECT_EQ(sealed, expected);
  std::string opened(plain.size(), '\0');
  EXPECT_TRUE(Unseal(key, nonce, associated, sealed, opened.data()).value());
  EXPECT_EQ(opened, plain);
}

TEST(Unseal, TellsEveryChange) {
  const Secret key(std::string(kKeyBytes, 'k'));
  const std::string nonce(kGcmNonceBytes, 'n');
  std::string sealed(5 + kTagBytes, '\0');
  ASSERT_TRUE(Seal(key, nonce, "about", "plain", sealed.data()).ok());
  std::string out(sealed.size(), '\0');
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(Unseal(key, nonce, "about", changed, out.data()).value()) << i;
  }
  EXPECT_FALSE(Unseal(key, nonce, "abouT", sealed, out.data()).value());
  EXPECT_FALSE(Unseal(key, std::string(kGcmNonceBytes, 'm'), "about", sealed, out.data()).value());
  EXPECT_FALSE(Unseal(key, nonce, "about", sealed.substr(0, kTagBytes - 1), out.data()).value());
  EXPECT_FALSE(
      Unseal(Secret(std::string(kKeyBytes, 'K')), nonce, "about", sealed, out.data()).value());
  EXPECT_TRUE(Unseal(key, nonce, "about", sealed, out.data()).value());
}

TEST(DeriveKey, DependsOnEverything) {
  const Secret key(std::string(kKeyBytes, 'k'));
  const std::string one(DeriveKey(key, "file", "nonce").value().view());
  EXPECT_EQ(one.size(), kKeyBytes);
  EXPECT_EQ(one, DeriveKey(key, "file", "nonce").value().view());
  EXPECT_NE(one, DeriveKey(key, "file", "noncf").value().view());
  EXPECT_NE(one, DeriveKey(key, "filen", "once").value().view());
  EXPECT_NE(one, DeriveKey(Secret(std::string(kKeyBytes, 'l')), "file", "nonce").value().view());
}

TEST(Secret, IsOverwrittenWhenItGoes) {
  Secret secret(Bytes("hunter2"));
  Secret moved = std::move(secret);
  EXPECT_TRUE(secret.empty());  // NOLINT(bugprone-use-after-move): that it is empty is the point.
  EXPECT_EQ(moved.view(), "hunter2");
  moved.Clear();
  EXPECT_TRUE(moved.empty());
}

}  // namespace
}  // namespace mayfly::crypto
