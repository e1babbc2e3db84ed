// statement_shapes.cc - requests with statements of PartiQL.
#include "dynamo/shapes/common_shapes.h"
#include "dynamo/shapes/request_shapes.h"

namespace mayfly::dynamo {
namespace {

constexpr Shape kStatement = {.kind = Shape::Kind::kString, .length_min = 1, .length_max = 8192};
constexpr Shape kParameters = ListOf(kAttributeValue, 1);
constexpr Shape kNextToken = {.kind = Shape::Kind::kString, .length_min = 1, .length_max = 32'768};

constexpr std::array kExecuteStatement = std::to_array<Member>({
    {"Statement", &kStatement, kRequired},
    {"Parameters", &kParameters},
    {"ConsistentRead", &kBoolean},
    {"NextToken", &kNextToken},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"Limit", &kPositive},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});

constexpr std::array kBatchMembers = std::to_array<Member>({
    {"Statement", &kStatement, kRequired},
    {"Parameters", &kParameters},
    {"ConsistentRead", &kBoolean},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});
constexpr Shape kBatchStatement = StructureOf(kBatchMembers, "BatchStatementRequest");
constexpr Shape kBatchStatements = ListOf(kBatchStatement, 1, 25);
constexpr std::array kBatchExecuteStatement = std::to_array<Member>({
    {"Statements", &kBatchStatements, kRequired},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
});

constexpr std::array kTransactMembers = std::to_array<Member>({
    {"Statement", &kStatement, kRequired},
    {"Parameters", &kParameters},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});
constexpr Shape kTransactStatement = StructureOf(kTransactMembers, "ParameterizedStatement");
constexpr Shape kTransactStatements = ListOf(kTransactStatement, 1, 100);
constexpr std::array kExecuteTransaction = std::to_array<Member>({
    {"TransactStatements", &kTransactStatements, kRequired},
    {"ClientRequestToken", &kRequestToken},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
});

}  // namespace

constexpr Shape kExecuteStatementShape = StructureOf(kExecuteStatement);
constexpr Shape kBatchExecuteStatementShape = StructureOf(kBatchExecuteStatement);
constexpr Shape kExecuteTransactionShape = StructureOf(kExecuteTransaction);

}  // namespace mayfly::dynamo
