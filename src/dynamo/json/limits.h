// limits.h - DynamoDB's bounds on requests and replies, and mayfly's on their JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mayfly::dynamo {

inline constexpr std::size_t kRequestBytesMax = std::size_t{16} * 1024 * 1024;

// An item may nest 32 levels, each of them two of JSON; a transaction has a few around it. Readers
// and writers recurse once per level.
inline constexpr std::size_t kJsonDepthMax = 128;

// Memory for JSON: so many bytes for each byte of text, and a base amount. Lists of short numbers,
// the densest that items have, take about nine.
inline constexpr std::size_t kJsonBytesPerByte = 16;
inline constexpr std::size_t kJsonBytesFree = std::size_t{256} * 1024;
inline constexpr std::size_t kJsonBytesNear = 4096;  // Preallocated.
inline constexpr std::size_t kJsonBlockBytesMin = std::size_t{16} * 1024;
inline constexpr std::size_t kJsonBlockBytesMax = std::size_t{1} * 1024 * 1024;

inline constexpr std::size_t kBatchGetKeysMax = 100;
inline constexpr std::size_t kBatchWritesMax = 25;
inline constexpr std::size_t kTransactionItemsMax = 100;

// Of all items of a BatchGetItem; what does not fit is left unprocessed.
inline constexpr std::uint64_t kBatchGetBytesMax = std::uint64_t{16} * 1024 * 1024;

// Of the items that one SELECT reads, as of those of one Query.
inline constexpr std::uint64_t kSelectBytesMax = std::uint64_t{1} * 1024 * 1024;

inline constexpr std::int64_t kListTablesMax = 100;
inline constexpr std::int64_t kSegmentsMax = 1'000'000;
inline constexpr std::int64_t kStreamRecordsMax = 1000;
inline constexpr std::int64_t kListStreamsMax = 100;
inline constexpr std::size_t kTagsMax = 50;
inline constexpr std::size_t kTagKeyCharactersMax = 128;
inline constexpr std::size_t kTagValueCharactersMax = 256;
inline constexpr std::size_t kValidationErrorsMax = 10;
inline constexpr std::size_t kShownBytesMax = 1024;  // Of a list or map in a message.
inline constexpr std::size_t kNameLengthMin = 3;     // Of tables and indexes.
inline constexpr std::size_t kNameLengthMax = 255;

inline constexpr std::size_t kCompressedBytesMin = 1024;  // Of a response, if it is to be at all.

// How far a request's date may be from the server's clock, either way.
inline constexpr std::chrono::minutes kClockSkewMax{15};
inline constexpr std::chrono::minutes kShardIteratorLife{15};

}  // namespace mayfly::dynamo
