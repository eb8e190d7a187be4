#pragma once

#include "generators/decoder/Decoder.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/standalone/CaseFile.h"

#include <rapidcheck.h>

#include <memory>
#include <ostream>
#include <utility>
#include <vector>

namespace touchstone::language { // where rapidcheck looks for it

inline void showValue(const Case& theCase, std::ostream& stream) {
  stream << standalone::printCase(theCase);
}

} // namespace touchstone::language

namespace touchstone::tests {

/// What the reducer would try in place of a Case, its passes in order; each is made when it is asked for. Texts grow
/// shorter, so that this ends.
inline rc::Seq<language::Case> reductionsOf(const language::Case& theCase) {
  const auto shared = std::make_shared<const language::Case>(theCase);
  const size_t length = standalone::printCase(theCase).size();
  std::vector<const reducer::ReductionPass*> passes;
  for (const reducer::ReductionPass& pass : reducer::reductionPasses()) {
    passes.push_back(&pass);
  }
  auto proposed =
      rc::seq::mapcat(rc::seq::fromContainer(std::move(passes)), [shared](const reducer::ReductionPass* pass) {
        return rc::seq::fromContainer(pass->candidates(*shared, reducer::GuiltyPlace{}));
      });
  return rc::seq::filter(std::move(proposed),
                         [length](const language::Case& each) { return standalone::printCase(each).size() < length; });
}

/// Random Cases of campaigns; what breaks a law is made smaller by the reducer's passes.
inline rc::Gen<language::Case> anyCase() {
  const auto made = rc::gen::map(rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint32_t>())),
                                 [](uint32_t index) {
                                   decoder::DecodeOptions options;
                                   options.features = catalogue::featuresOf(0, index);
                                   return decoder::decode(catalogue::makeRecipe(0, index, options.features), options);
                                 });
  return rc::gen::shrink(made, reductionsOf);
}

} // namespace touchstone::tests
