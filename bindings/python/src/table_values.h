// table_values.h - definitions, requests and outcomes of tables, as the fields that tables.py fills
// and reads.
#pragma once

#include <pybind11/pybind11.h>

#include "mayfly/table_requests.h"
#include "mayfly/table_spec.h"

namespace mayfly::python {

TableSpec ToTableSpec(const pybind11::dict& given);
TableChange ToTableChange(const pybind11::dict& given);
pybind11::dict ToDict(const TableDescription& description);

PutItemRequest ToPut(const pybind11::dict& given);
UpdateItemRequest ToUpdate(const pybind11::dict& given);
DeleteItemRequest ToDelete(const pybind11::dict& given);
GetItemRequest ToGet(const pybind11::dict& given);
QueryRequest ToQuery(const pybind11::dict& given);
ScanRequest ToScan(const pybind11::dict& given);
// (kind, fields), the kind being put, update, delete or check.
TransactWrite ToTransactWrite(const pybind11::tuple& action);

// (written, attributes, version)
pybind11::tuple ToTuple(const WriteOutcome& outcome);
// (item, version)
pybind11::tuple ToTuple(const FoundItem& found);
// (items, count, last_key)
pybind11::tuple ToTuple(const ItemPage& page);
// (written, [(reason, message, item)])
pybind11::tuple ToTuple(const TransactOutcome& outcome);
pybind11::dict ToDict(const StreamRecord& record);

}  // namespace mayfly::python
