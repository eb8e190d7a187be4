#include "graph/ir/GraphSignature.h"

namespace touchstone::ir {

const char* outputClassName(OutputClass kind) {
  switch (kind) {
    case OutputClass::kInput: return "an input";
    case OutputClass::kAliasOfInput: return "alias of an input";
    case OutputClass::kAliasOfIntermediate: return "alias of an intermediate";
    case OutputClass::kFresh: return "fresh";
  }
  return "";
}

} // namespace touchstone::ir
