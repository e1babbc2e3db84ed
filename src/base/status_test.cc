// Goal: an outcome keeps its code and message wherever it travels, and the macros leave on errors
// only. Method: every code by its maker, copies and moves of both types, small functions around the
// macros.
#include "mayfly/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mayfly/result.h"

namespace mayfly {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Status>);
static_assert(sizeof(Status) <= 2 * sizeof(void*), "returned in two registers' worth of bytes");

struct CodeCase {
  Status status;
  StatusCode code;
  int number;  // As the C ABI and the wire have it.
  std::string name;
};

std::vector<CodeCase> AllCodes() {
  // clang-format off
  return {
      {Status::Ok(),             StatusCode::kOk,          0,  "Ok"},
      {Status::NotFound("m"),    StatusCode::kNotFound,    1,  "NotFound"},
      {Status::Invalid("m"),     StatusCode::kInvalid,     2,  "Invalid"},
      {Status::WrongType("m"),   StatusCode::kWrongType,   3,  "WrongType"},
      {Status::Conflict("m"),    StatusCode::kConflict,    4,  "Conflict"},
      {Status::Busy("m"),        StatusCode::kBusy,        5,  "Busy"},
      {Status::CrossSlot("m"),   StatusCode::kCrossSlot,   6,  "CrossSlot"},
      {Status::ReadOnly("m"),    StatusCode::kReadOnly,    7,  "ReadOnly"},
      {Status::Corruption("m"),  StatusCode::kCorruption,  8,  "Corruption"},
      {Status::IoError("m"),     StatusCode::kIoError,     9,  "IoError"},
      {Status::Unsupported("m"), StatusCode::kUnsupported, 10, "Unsupported"},
      {Status::Internal("m"),    StatusCode::kInternal,    11, "Internal"},
      {Status::WrongPassword("m"), StatusCode::kWrongPassword, 12, "WrongPassword"},
  };
  // clang-format on
}

TEST(Status, HasANameAndAFixedNumberForEveryCode) {
  for (const CodeCase& c : AllCodes()) {
    EXPECT_EQ(c.status.code(), c.code);
    EXPECT_EQ(static_cast<int>(c.code), c.number);
    EXPECT_EQ(StatusCodeName(c.code), c.name);
    EXPECT_EQ(c.status.ok(), c.code == StatusCode::kOk);
    EXPECT_EQ(c.status.IsNotFound(), c.code == StatusCode::kNotFound);
    EXPECT_EQ(c.status.ToString(), c.status.ok() ? "Ok" : c.name + ": m");
  }
}

TEST(Status, NamesACodeFromTheFutureUnknown) {
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(200)), "Unknown");
}

TEST(Status, IsOkUnlessToldOtherwise) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().message(), "");
}

TEST(Status, SaysNothingWithoutAMessage) {
  EXPECT_EQ(Status::NotFound().message(), "");
  EXPECT_EQ(Status::NotFound().ToString(), "NotFound");
  EXPECT_EQ(Status::Busy("").ToString(), "Busy");
}

TEST(Status, CopiesKeepCodeAndMessageApart) {
  Status copy;
  {
    const Status original = Status::Busy("held by another process");
    copy = original;
    EXPECT_NE(copy.message().data(), original.message().data());
  }
  EXPECT_EQ(copy.code(), StatusCode::kBusy);
  EXPECT_EQ(copy.message(), "held by another process");
  const Status second(copy);
  copy = Status::Ok();
  EXPECT_EQ(copy.message(), "");
  EXPECT_EQ(second.message(), "held by another process");
}

TEST(Status, SurvivesAssignmentToItself) {
  Status status = Status::Invalid("empty key");
  const Status& same = status;
  status = same;
  EXPECT_EQ(status.ToString(), "Invalid: empty key");
}

TEST(Status, MovesCarryTheMessage) {
  Status from = Status::IoError("disk full");
  const char* bytes = from.message().data();
  const Status to = std::move(from);
  EXPECT_EQ(to.ToString(), "IoError: disk full");
  EXPECT_EQ(to.message().data(), bytes);
}

TEST(Status, ComparesByWhatACallerWouldDo) {
  EXPECT_EQ(Status::Busy("a"), Status::Busy("b"));
  EXPECT_NE(Status::Busy("a"), Status::Conflict("a"));
}

TEST(Result, HoldsAValueOrAnError) {
  Result<int> value = 7;
  EXPECT_TRUE(value.has_value());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(*value, 7);
  EXPECT_EQ(value.value(), 7);
  EXPECT_TRUE(value.status().ok());
  *value = 8;
  EXPECT_EQ(value.value_or(0), 8);

  const Result<int> error = Status::Busy("later");
  EXPECT_FALSE(error.has_value());
  EXPECT_EQ(error.error().ToString(), "Busy: later");
  EXPECT_EQ(error.status().ToString(), "Busy: later");
  EXPECT_EQ(error.value_or(5), 5);
}

TEST(Result, GivesItsValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  EXPECT_EQ(**result, 3);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
  Result<std::unique_ptr<int>> again = std::make_unique<int>(4);
  EXPECT_EQ(*std::move(again).value(), 4);
}

TEST(Result, ReachesMembersByArrow) {
  Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
  result->push_back('d');
  EXPECT_EQ(std::as_const(result)->back(), 'd');
}

TEST(Result, CopiesAndMovesBothKinds) {
  const Result<std::string> value = std::string("abc");
  const Result<std::string> error = Status::Conflict("moved on");
  Result<std::string> other = value;
  EXPECT_EQ(*other, "abc");
  other = error;
  EXPECT_EQ(other.error().message(), "moved on");
  const Status taken = std::move(other).error();
  EXPECT_EQ(taken.message(), "moved on");
  EXPECT_EQ(error.error().message(), "moved on");
}

#ifndef NDEBUG
TEST(ResultDeathTest, RefusesAnOkStatusAndTheValueOfAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)Result<int>(Status::Ok()), "not a value");
  Result<int> error = Status::NotFound();
  EXPECT_DEATH(*error = 1, "holds an error");
}
#endif

Result<int> Half(int n) {
  if (n % 2 != 0) return Status::Invalid("odd");
  return n / 2;
}

Result<int> Quarter(int n) {
  MAYFLY_TRY(const int half, Half(n));
  MAYFLY_TRY(const int quarter, Half(half));
  return quarter;
}

Status CheckQuarter(int n, bool& went_on) {
  MAYFLY_TRY(int quarter, Quarter(n));
  went_on = true;
  return quarter >= 0 ? Status::Ok() : Status::Invalid("negative");
}

TEST(MayflyTry, DeclaresTheValueOrLeavesWithTheError) {
  EXPECT_EQ(Quarter(8).value_or(-1), 2);
  EXPECT_EQ(Quarter(6).status().message(), "odd");
  EXPECT_EQ(Quarter(5).status(), Status::Invalid(""));
}

TEST(MayflyTry, LeavesAFunctionOfAnotherTypeToo) {
  bool went_on = false;
  EXPECT_EQ(CheckQuarter(6, went_on).message(), "odd");
  EXPECT_FALSE(went_on);
  EXPECT_TRUE(CheckQuarter(8, went_on).ok());
  EXPECT_TRUE(went_on);
}

Result<std::size_t> SizeOfBoth(int n) {
  MAYFLY_TRY(const auto pair, Result<std::pair<int, std::string>>({n, std::to_string(n)}));
  MAYFLY_TRY(const std::unique_ptr<int> owned,
             Result<std::unique_ptr<int>>(std::make_unique<int>(n)));
  return pair.second.size() + static_cast<std::size_t>(*owned);
}

TEST(MayflyTry, TakesCommasAndValuesThatOnlyMove) { EXPECT_EQ(SizeOfBoth(10).value_or(0), 12u); }

Status Both(const Status& first, const Status& second, int& calls) {
  const auto counted = [&](const Status& status) {
    ++calls;
    return status;
  };
  MAYFLY_RETURN_IF_ERROR(counted(first));
  MAYFLY_RETURN_IF_ERROR(counted(second));
  return Status::Ok();
}

TEST(MayflyReturnIfError, LeavesAtTheFirstErrorAndAsksOnce) {
  int calls = 0;
  EXPECT_TRUE(Both(Status::Ok(), Status::Ok(), calls).ok());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(Both(Status::Busy("one"), Status::Invalid("two"), calls).ToString(), "Busy: one");
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(Both(Status::Ok(), Status::Invalid("two"), calls).ToString(), "Invalid: two");
  EXPECT_EQ(calls, 5);
}

Result<int> AfterCheck(const Status& status) {
  MAYFLY_RETURN_IF_ERROR(status);
  return 1;
}

TEST(MayflyReturnIfError, LeavesAFunctionThatReturnsAResult) {
  EXPECT_EQ(AfterCheck(Status::Ok()).value_or(0), 1);
  EXPECT_EQ(AfterCheck(Status::Busy("later")).status().message(), "later");
}

}  // namespace
}  // namespace mayfly
