// items_text.h - the items of a page as the text of a JSON array.
#pragma once

#include <string>
#include <utility>

#include "dynamo/json/item_text.h"
#include "tables/queries/page_sink.h"

namespace mayfly::dynamo {

class ItemsText final : public tables::PageSink {
 public:
  Status TakeStored(Bytes stored) override {
    Begin();
    return AppendStoredItem(stored, text_);
  }
  void Take(Item item) override {
    Begin();
    AppendItem(item, text_);
  }

  std::string End() && {
    text_ += ']';
    return std::move(text_);
  }

 private:
  void Begin() {
    if (text_.size() > 1) text_ += ',';
  }

  std::string text_ = "[";
};

}  // namespace mayfly::dynamo
