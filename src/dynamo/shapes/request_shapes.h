// request_shapes.h - the shape of every operation's request.
#pragma once

#include "dynamo/shapes/shape.h"

namespace mayfly::dynamo {

extern const Shape kPutItemShape;
extern const Shape kGetItemShape;
extern const Shape kUpdateItemShape;
extern const Shape kDeleteItemShape;
extern const Shape kQueryShape;
extern const Shape kScanShape;
extern const Shape kBatchGetItemShape;
extern const Shape kBatchWriteItemShape;
extern const Shape kTransactGetItemsShape;
extern const Shape kTransactWriteItemsShape;

extern const Shape kExecuteStatementShape;
extern const Shape kBatchExecuteStatementShape;
extern const Shape kExecuteTransactionShape;

extern const Shape kCreateTableShape;
extern const Shape kUpdateTableShape;
extern const Shape kListTablesShape;
extern const Shape kTableNameShape;  // Of operations that take the name of a table and no more.

extern const Shape kUpdateTimeToLiveShape;
extern const Shape kSetTtlShape;
extern const Shape kNamedItemShape;
extern const Shape kSweepShape;

extern const Shape kTagResourceShape;
extern const Shape kUntagResourceShape;
extern const Shape kListTagsShape;

extern const Shape kListStreamsShape;
extern const Shape kDescribeStreamShape;
extern const Shape kShardIteratorShape;
extern const Shape kGetRecordsShape;

extern const Shape kAnyShape;  // Of operations that take nothing.

}  // namespace mayfly::dynamo
