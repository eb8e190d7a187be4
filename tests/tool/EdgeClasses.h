#pragma once

#include "oracles/observe/Observation.h"
#include "program/language/Case.h"

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <vector>

namespace touchstone::tool {

/// A Case as eager makes its calls.
struct Sight {
  language::Case theCase;
  std::string program; // the text of the Program and of the functions that it calls
  std::vector<at::Tensor> given, watched; // of the first call, before it
  bool hasOtherArguments = false; // numbers, None, containers among its arguments
  observe::CaseObservation seen;
};

/// Runs the Case eagerly. Throws what making its inputs throws.
Sight sightOf(const language::Case& theCase);

/// A class of edge cases (docs/edge_classes.md) or the shape of a regression, and what a Case shows that is of it.
struct EdgeClass {
  int number = 0;
  const char* name;
  bool (*isIn)(const Sight& sight);
};

/// The 62 classes, then the 35 shapes, by number.
std::span<const EdgeClass> edgeClasses();
std::span<const EdgeClass> regressionShapes();

} // namespace touchstone::tool
