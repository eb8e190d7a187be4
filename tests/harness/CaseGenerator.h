#pragma once

#include "generators/decoder/Decoder.h"
#include "program/language/CasePrinter.h"
#include "harness/reducer/ReductionPasses.h"

#include <rapidcheck.h>

#include <memory>
#include <ostream>
#include <utility>
#include <vector>

namespace touchstone::graph {

inline void showValue(const Case& theCase, std::ostream& stream) {
  stream << printCase(theCase);
}

} // namespace touchstone::graph

namespace touchstone::harness {

/// What the reducer would try in place of a Case, its passes in order; each is made when it is asked for. Texts grow
/// shorter, so that this ends.
inline rc::Seq<graph::Case> reductionsOf(const graph::Case& theCase) {
  const auto shared = std::make_shared<const graph::Case>(theCase);
  const size_t length = graph::printCase(theCase).size();
  std::vector<const ReductionPass*> passes;
  for (const ReductionPass& pass : reductionPasses()) {
    passes.push_back(&pass);
  }
  auto proposed = rc::seq::mapcat(rc::seq::fromContainer(std::move(passes)), [shared](const ReductionPass* pass) {
    return rc::seq::fromContainer(pass->candidates(*shared, GuiltyPlace{}));
  });
  return rc::seq::filter(std::move(proposed),
                         [length](const graph::Case& each) { return graph::printCase(each).size() < length; });
}

/// Random Cases of campaigns; what breaks a law is made smaller by the reducer's passes.
inline rc::Gen<graph::Case> anyCase() {
  const auto made = rc::gen::map(
      rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint32_t>())), [](uint32_t index) {
        generators::DecodeOptions options;
        options.features = generators::featuresOf(0, index);
        return generators::decode(generators::makeRecipe(0, index, options.features), options);
      });
  return rc::gen::shrink(made, reductionsOf);
}

} // namespace touchstone::harness
