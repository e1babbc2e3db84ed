// fold_marker.h - the last record that the cold store has, as the name of an empty file.
//   folded-00000000000000a7      all records up to 0xa7 are durable in the cold store
// It lies beside the segments. The new file is durable before the old one goes, and before a
// segment goes; the highest name counts.
#pragma once

#include "engine/hot/index/row.h"
#include "engine/hot/log/log_files.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

// 0: there is no marker. What it returns is durable.
Result<Sequence> ReadFoldMarker(LogFiles& files);

Status WriteFoldMarker(LogFiles& files, Sequence folded);

}  // namespace mayfly::engine::hot
