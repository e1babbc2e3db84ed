// limits.h - bounds on what the console's clients may send, hold and make the server do.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::console {

// Of a request's body: many keys to delete, or one large value.
inline constexpr std::size_t kBodyBytesMax = std::size_t{8} * 1024 * 1024;
inline constexpr std::size_t kSmallBodyBytesMax = std::size_t{4} * 1024;  // Of a login.

// Of one request, and the bytes of its replies together.
inline constexpr std::size_t kCommandsMax = 100;
inline constexpr std::size_t kReplyBytesMax = std::size_t{16} * 1024 * 1024;

// Logins at a time; the one that was used longest ago ends for one more.
inline constexpr std::size_t kLoginsMax = 256;
inline constexpr int kSecretBits = 256;

// Attempts to log in with a wrong password that an address has at once, how soon it gets one back,
// and how many addresses are remembered.
inline constexpr int kAttemptsMax = 10;
inline constexpr std::chrono::seconds kAttemptEvery{3};
inline constexpr std::size_t kAddressesMax = 1024;

// Requests whose commands run at a time, if there is a thread of HTTP besides; how long others wait
// for their turn, each on a thread of HTTP; and how long a command
// waits for a script or CLIENT PAUSE, which hold it, before it is refused.
inline constexpr std::size_t kRunnersMax = 2;
inline constexpr std::chrono::milliseconds kRunnerPatience{200};
inline constexpr std::chrono::milliseconds kHoldPatience{200};
inline constexpr std::chrono::milliseconds kHoldLook{20};
inline constexpr std::chrono::milliseconds kTurn{50};

// How soon a page that listens asks again, and how many expiry events it gets at once; of more,
// the newest.
inline constexpr std::chrono::milliseconds kLiveEvery{1000};
inline constexpr std::size_t kLiveEventsMax = 1000;
inline constexpr std::size_t kLiveEventsLarge = 20;  // With values that make more too long a reply.

// With a filter, so many batches of kLiveEventsMax are looked through for an answer, whose events
// have at most so many bytes of keys and values.
inline constexpr std::size_t kLiveBatchesMax = 20;
inline constexpr std::size_t kLiveBytesMax = kReplyBytesMax;

}  // namespace mayfly::console
