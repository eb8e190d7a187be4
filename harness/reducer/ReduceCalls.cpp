#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/StatementEditing.h"

#include <algorithm>
#include <set>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::CallSpec;

/// The Case with these calls only; none when what is left refers to a call that is gone.
bool keepCalls(language::Case& theCase, const std::vector<size_t>& kept) {
  std::vector<CallSpec> calls = language::keptCalls(theCase.calls, kept);
  if (calls.empty() || !calls[0].inputs.has_value()) {
    return false;
  }
  theCase.calls = std::move(calls);
  return true;
}

} // namespace

std::vector<language::Case> keepFewerCalls(const language::Case& theCase, const GuiltyPlace& place) {
  const size_t count = theCase.calls.size();
  const auto guilty = std::min(static_cast<size_t>(std::max(place.call, 0)), count - 1);
  // The guilty call, with what it may need: the call whose inputs it uses or that begins its own backward, the first, which
  // compiles, or all before it.
  std::vector<std::vector<size_t>> choices{{guilty}};
  const auto keepAlso = [&](size_t other) { choices.push_back({std::min(guilty, other), std::max(guilty, other)}); };
  for (size_t i = 0; i < count; ++i) {
    const CallSpec& call = theCase.calls[i];
    if (i >= guilty && !call.backwardAfter.empty()) { // all that are alive together
      std::vector<size_t> together{guilty, i};
      together.insert(together.end(), call.backwardAfter.begin(), call.backwardAfter.end());
      std::ranges::sort(together);
      choices.push_back(std::move(together));
    }
    for (const int earlier : call.backwardAfter) {
      if (i == guilty || static_cast<size_t>(earlier) == guilty) {
        keepAlso(i == guilty ? static_cast<size_t>(earlier) : i);
      }
    }
  }
  size_t owner = guilty;
  while (owner > 0 && theCase.takesEarlierObjects(owner)) {
    --owner;
  }
  keepAlso(owner);
  keepAlso(0);
  for (size_t begin : {owner, size_t{0}}) {
    std::vector<size_t> before;
    for (size_t i = begin; i <= guilty; ++i) {
      before.push_back(i);
    }
    choices.push_back(std::move(before));
  }
  for (size_t chunk = count / 2; chunk > 0; chunk /= 2) {
    for (size_t begin = 0; begin < count; begin += chunk) {
      std::vector<size_t> kept;
      for (size_t i = 0; i < count; ++i) {
        if (i < begin || i >= begin + chunk) {
          kept.push_back(i);
        }
      }
      choices.push_back(std::move(kept));
    }
  }
  std::vector<language::Case> result;
  std::set<std::vector<size_t>> seen;
  for (std::vector<size_t>& kept : choices) {
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    if (!seen.insert(kept).second) {
      continue;
    }
    language::Case candidate = theCase;
    if (kept.size() < count && keepCalls(candidate, kept)) {
      result.push_back(language::withoutUnusedFunctions(std::move(candidate))); // what those calls alone used
    }
  }
  return result;
}

std::vector<language::Case> simplifyCalls(const language::Case& theCase) {
  std::vector<language::Case> result;
  const CallSpec plain;
  const auto propose = [&](size_t position, auto edit) {
    language::Case candidate = theCase;
    edit(candidate.calls[position]);
    candidate.calls = language::settledCalls(candidate.calls);
    if (!(candidate.calls[position] == theCase.calls[position])) {
      result.push_back(std::move(candidate));
    }
  };
  for (size_t i = 0; i < theCase.calls.size(); ++i) {
    propose(i, [&](CallSpec& call) {
      const auto inputs = call.inputs;
      call = plain;
      call.inputs = inputs;
    });
    propose(i, dropBackward);
    propose(i, [&](CallSpec& call) { call.between.reset(); });
    propose(i, [&](CallSpec& call) { call.wrt.reset(); });
    propose(i, [&](CallSpec& call) {
      call.via = plain.via;
      call.derivatives = 1;
    });
    propose(i, [&](CallSpec& call) { call.backwardAfter.clear(); });
    for (size_t each = 0; theCase.calls[i].backwardAfter.size() > 1 && each < theCase.calls[i].backwardAfter.size();
         ++each) {
      propose(i, [&](CallSpec& call) {
        call.backwardAfter.erase(call.backwardAfter.begin() + static_cast<std::ptrdiff_t>(each));
      });
    }
    propose(i, [&](CallSpec& call) { std::ranges::sort(call.backwardAfter); });
    propose(i, [&](CallSpec& call) { call.feed.clear(); });
    propose(i, [&](CallSpec& call) { call.instance = 0; });
    propose(i, [&](CallSpec& call) { call.derivatives = 1; });
    propose(i, [&](CallSpec& call) { call.backwardTimes = 1; });
    propose(i, [&](CallSpec& call) { call.createGraph = false; });
    propose(i, [&](CallSpec& call) { call.compiledAutograd = false; });
    propose(i, [&](CallSpec& call) { call.autocast.reset(); });
    propose(i, [&](CallSpec& call) { call.gradMode = plain.gradMode; });
    propose(i, [&](CallSpec& call) { call.reset = false; });
    propose(i, [&](CallSpec& call) { call.kind = plain.kind; });
    propose(i, [&](CallSpec& call) {
      call.tangentLayout = plain.tangentLayout;
      call.tangentSeed = 0;
    });
    propose(i, [&](CallSpec& call) { call.tangentSeed = 0; });
    propose(i, [&](CallSpec& call) { call.rngSeed = 0; });
    propose(i, [&](CallSpec& call) { call.seed = static_cast<int64_t>(i); });
    for (size_t root = 0; theCase.calls[i].backward.has_value() && root < theCase.calls[i].backward->size(); ++root) {
      propose(i, [&](CallSpec& call) {
        if (call.backward->size() > 1) {
          call.backward->erase(call.backward->begin() + static_cast<std::ptrdiff_t>(root));
        }
      });
    }
  }
  // One function makes the inputs of all calls.
  language::Case oneInput = theCase;
  for (CallSpec& call : oneInput.calls) {
    call.inputs = call.inputs.has_value() ? oneInput.calls[0].inputs : call.inputs;
  }
  result.push_back(language::withoutUnusedFunctions(std::move(oneInput)));
  return result;
}

std::vector<language::Case> dropOptions(const language::Case& theCase) {
  std::vector<language::Case> result;
  const auto propose = [&](auto edit) {
    language::Case candidate = theCase;
    edit(candidate.compile);
    result.push_back(std::move(candidate));
  };
  const language::CompileSpec plain;
  propose([&](language::CompileSpec& compile) { compile = plain; });
  propose([&](language::CompileSpec& compile) { compile.dynamic = plain.dynamic; });
  propose([&](language::CompileSpec& compile) { compile.fullgraph = plain.fullgraph; });
  for (const auto literals : {&language::CompileSpec::options, &language::CompileSpec::config}) {
    for (size_t i = (theCase.compile.*literals).size(); i-- > 0;) {
      propose([&](language::CompileSpec& compile) {
        (compile.*literals).erase((compile.*literals).begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
  }
  return result;
}

} // namespace touchstone::reducer
