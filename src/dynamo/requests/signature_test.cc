// Goal: requests that AWS' clients sign are accepted, and no others.
// Method: AWS' published examples and test vectors for the signature itself; a request of our own,
// changed in one place at a time, for the checks around it.
#include "dynamo/requests/signature.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "dynamo/json/refusal.h"
#include "dynamo/testing/fake_service.h"

namespace mayfly::dynamo {
namespace {

constexpr const char* kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

http::Request Vanilla(const std::string& method) {
  http::Request request;
  request.method = method;
  request.path = "/";
  request.headers = {{"host", "example.amazonaws.com"}, {"x-amz-date", "20150830T123600Z"}};
  return request;
}

SignedParts Parts(const std::string& service, const std::string& headers) {
  return {.date = "20150830T123600Z",
          .day = "20150830",
          .region = "us-east-1",
          .service = service,
          .headers = headers};
}

TEST(Signature, IsThatOfThePublishedVectors) {
  EXPECT_EQ(Sign(Vanilla("GET"), Parts("service", "host;x-amz-date"), kSecret),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(Sign(Vanilla("POST"), Parts("service", "host;x-amz-date"), kSecret),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
}

TEST(Signature, IsThatOfTheDocumentedExample) {
  http::Request request = Vanilla("GET");
  request.query = "Action=ListUsers&Version=2010-05-08";
  request.headers["host"] = "iam.amazonaws.com";
  request.headers["content-type"] = "application/x-www-form-urlencoded; charset=utf-8";
  EXPECT_EQ(Sign(request, Parts("iam", "content-type;host;x-amz-date"), kSecret),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(Signature, SpacesInHeadersCountOnce) {
  http::Request request = Vanilla("GET");
  request.headers["my-header1"] = " value1";
  request.headers["my-header2"] = "\"a   b   c\"";
  EXPECT_EQ(Sign(request, Parts("service", "host;my-header1;my-header2;x-amz-date"), kSecret),
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
}

// A correct request of a client with key "me".
class SignedRequest : public testing::Test {
 protected:
  SignedRequest() {
    request_.method = "POST";
    request_.path = "/";
    request_.body = R"({"TableName":"tab"})";
    // clang-format off
    request_.headers = {
        {"host",         "localhost:8000"},
        {"x-amz-date",   "20231114T221320Z"},
        {"x-amz-target", "DynamoDB_20120810.DescribeTable"},
    };
    // clang-format on
    Resign();
  }

  void Resign() {
    const std::string headers = "host;x-amz-date;x-amz-target";
    const SignedParts parts = {.date = "20231114T221320Z",
                               .day = "20231114",
                               .region = "eu-west-1",
                               .service = "dynamodb",
                               .headers = headers};
    Authorize("me/20231114/eu-west-1/dynamodb/aws4_request", headers,
              Sign(request_, parts, "secret"));
  }

  void Authorize(const std::string& credential, const std::string& headers,
                 const std::string& signature) {
    request_.headers["authorization"] = "AWS4-HMAC-SHA256 Credential=" + credential +
                                        ", SignedHeaders=" + headers + ", Signature=" + signature;
  }

  void Replace(const std::string& from, const std::string& to) {
    std::string& header = request_.headers["authorization"];
    const std::size_t at = header.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    header.replace(at, from.size(), to);
  }

  // Empty when it is accepted.
  std::string Check(WallTime now = WallTimeFromMs(1'700'000'000'000)) {
    const auto checked = CheckSignature(request_, secrets_, region_, now);
    if (checked.has_value()) return "";
    const std::string type(checked.error().type());
    return type.substr(type.find('#') + 1) + ": " + checked.error().message();
  }

  Secrets secrets_ = {{"me", "secret"}};
  std::string region_;  // Demanded; empty: none.
  http::Request request_;
};

TEST_F(SignedRequest, IsAccepted) { EXPECT_EQ(Check(), ""); }

TEST_F(SignedRequest, IsForTheRegionThatIsSet) {
  region_ = "eu-central-1";
  EXPECT_EQ(Check(),
            "InvalidSignatureException: Credential should be scoped to a valid region, not "
            "'eu-west-1'. ");
  region_ = "eu-west-1";
  EXPECT_EQ(Check(), "");
}

TEST_F(SignedRequest, EveryChangeIsNoticed) {
  const auto changed = [&](auto change) {
    const http::Request before = request_;
    change();
    const std::string refusal = Check();
    request_ = before;
    return refusal.starts_with(
        "InvalidSignatureException: The request signature we calculated does not match");
  };
  EXPECT_TRUE(changed([&] { request_.body += " "; }));
  EXPECT_TRUE(changed([&] { request_.headers["x-amz-target"] = "DynamoDB_20120810.DeleteTable"; }));
  EXPECT_TRUE(changed([&] { request_.headers["host"] = "elsewhere"; }));
  EXPECT_TRUE(changed([&] { request_.query = "a=b"; }));
  EXPECT_TRUE(changed([&] { request_.method = "GET"; }));
  EXPECT_TRUE(changed([&] { Replace("Signature=", "Signature=0"); }));
  EXPECT_TRUE(changed([&] { Replace("eu-west-1", "us-east-1"); }));
  secrets_["me"] = "other";
  EXPECT_TRUE(changed([] {}));
}

TEST_F(SignedRequest, TheDateIsWithinAQuarterOfAnHour) {
  const WallTime at = WallTimeFromMs(1'700'000'000'000);
  EXPECT_EQ(Check(at + std::chrono::minutes(15)), "");
  EXPECT_EQ(Check(at - std::chrono::minutes(15)), "");
  EXPECT_EQ(Check(at + std::chrono::minutes(15) + Millis(1)),
            "InvalidSignatureException: Signature expired: 20231114T221320Z is now earlier than "
            "20231114T221320Z (20231114T222820Z - 15 min.)");
  EXPECT_TRUE(Check(at - std::chrono::minutes(15) - Millis(1))
                  .starts_with("InvalidSignatureException: Signature not yet current: "));
  request_.headers["x-amz-date"] = "2023-11-14";
  EXPECT_EQ(Check(),
            "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got "
            "'2023-11-14'. See http://en.wikipedia.org/wiki/ISO_8601");
  request_.headers["x-amz-date"] = "20231350T221320Z";
  EXPECT_TRUE(Check().starts_with("IncompleteSignatureException: Date must be"));
}

TEST_F(SignedRequest, TheHeaderHasItsForm) {
  request_.headers["authorization"] = "Basic bWU6c2VjcmV0";
  EXPECT_EQ(Check(),
            "MissingAuthenticationTokenException: Request is missing Authentication Token");
  request_.headers["authorization"].clear();
  EXPECT_EQ(Check(),
            "MissingAuthenticationTokenException: Request is missing Authentication Token");
  request_.headers["authorization"] = "AWS4-HMAC-SHA256 Credential=a";
  EXPECT_EQ(Check(),
            "IncompleteSignatureException: Authorization header requires 'Signature' parameter. "
            "Authorization header requires 'SignedHeaders' parameter. "
            "Authorization=AWS4-HMAC-SHA256 Credential=a");
  Authorize("me/20231114/eu-west-1/dynamodb", "host", "0");
  EXPECT_EQ(
      Check(),
      "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, "
      "e.g. keyid/date/region/service/term, got 'me/20231114/eu-west-1/dynamodb'");
  Authorize("me/20231113//s3/aws5", "host", "0");
  EXPECT_EQ(Check(),
            "InvalidSignatureException: Credential should be scoped to a valid region, not ''. "
            "Credential should be scoped to correct service: 'dynamodb'. Credential should be "
            "scoped with a valid terminator: 'aws4_request', not 'aws5'. Date in Credential scope "
            "does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20231113' != "
            "'20231114', from '20231114T221320Z'.");
  Authorize("me/20231114/eu-west-1/dynamodb/aws4_request", "x-amz-date", "0");
  EXPECT_EQ(Check(),
            "InvalidSignatureException: 'Host' must be a 'SignedHeader' in the AWS Authorization.");
  Authorize("you/20231114/eu-west-1/dynamodb/aws4_request", "host", "0");
  EXPECT_EQ(Check(),
            "UnrecognizedClientException: The security token included in the request is invalid.");
}

// A stranger's body costs a hash, and not the memory that its JSON would take.
TEST_F(SignedRequest, ItsBodyIsParsedBehindTheSignature) {
  const ManualClock clock(WallTimeFromMs(1'700'000'000'000));
  FakeTables tables{clock};
  Service service(tables, clock, SilentLogger(), {.secrets = secrets_});
  const auto refusal = [&] {
    const std::string body = AnswerOf(service, request_).body;
    const std::size_t begin = body.find('#') + 1;
    return body.substr(begin, body.find('"', begin) - begin);
  };
  std::string swollen = R"({"a":[)";  // In memory many times its text.
  for (int i = 0; i < 100'000; ++i) swollen += "{},";
  const std::pair<std::string, std::string> bodies[] = {
      {"", "SerializationException"},
      {"{", "SerializationException"},
      {"[]", "SerializationException"},
      {"\xff\xfe", "SerializationException"},
      {std::string(10'000, '['), "SerializationException"},
      {swollen + "0]}", "RequestEntityTooLargeException"},
      {R"({"TableName":5})", "SerializationException"},
      {R"({})", "ValidationException"},
  };
  for (const auto& [body, parsed] : bodies) {
    SCOPED_TRACE(body.substr(0, 20));
    EXPECT_EQ(refusal(), "ResourceNotFoundException") << "a signed request is answered";
    const std::string before = std::exchange(request_.body, body);
    EXPECT_EQ(refusal(), "InvalidSignatureException") << "it is another body's";
    Resign();
    EXPECT_EQ(refusal(), parsed);
    request_.headers["authorization"].clear();
    EXPECT_EQ(refusal(), "MissingAuthenticationTokenException");
    request_.body = before;
    Resign();
  }
}

TEST(Secrets, AreReadAndNeverShown) {
  const auto secrets = ReadSecrets("a:one, b:two:three");
  ASSERT_TRUE(secrets.has_value());
  EXPECT_EQ(secrets->at("a"), "one");
  EXPECT_EQ(secrets->at("b"), "two:three");
  EXPECT_TRUE(ReadSecrets("")->empty());
  for (const std::string text : {"hush", ":hush", "a:", "a:x,", "a:hush,a:hush", "a/b:hush"}) {
    const auto refused = ReadSecrets(text);
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_EQ(refused.error().ToString().find("hush"), std::string::npos);
  }
}

TEST(Authorization, WithoutKeysStrangersGetNothing) {
  FakeService service({.secrets = {}, .open_to_strangers = true});
  const std::string error = service.Error("ListTables", "{}");
  EXPECT_TRUE(error.starts_with("AccessDeniedException: ")) << error;
  EXPECT_NE(error.find("http-keys"), std::string::npos);
}

TEST(Authorization, WithKeysEverythingIsSigned) {
  FakeService service({.secrets = {{"me", "secret"}}});
  EXPECT_TRUE(service.Error("ListTables", "{}").starts_with("MissingAuthenticationTokenException"));
}

}  // namespace
}  // namespace mayfly::dynamo
