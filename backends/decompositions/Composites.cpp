#include "backends/decompositions/Families.h"

namespace touchstone::backends {

void addComposites(DecompositionTable& table) {
  for (const char* target : {"aten::addr", "aten::mv"}) {
    table.addComposite(target);
  }
}

} // namespace touchstone::backends
