#include "harness/worker/WarningKeeper.h"

#include <algorithm>

namespace touchstone::worker {

WarningKeeper::WarningKeeper()
    : scope_([this](const std::string& text) {
        if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) {
          warnings_.push_back(text);
        }
      }) {}

} // namespace touchstone::worker
