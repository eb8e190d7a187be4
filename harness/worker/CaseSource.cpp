#include "harness/worker/CaseSource.h"

#include "generators/decoder/Decoder.h"
#include "generators/features/CaseFeatures.h"
#include "generators/mutation/CaseMutation.h"
#include "generators/probes/ProbeGroup.h"
#include "generators/sequences/Sequences.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "program/language/PythonConstructs.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <map>

namespace touchstone::worker {

namespace {

void takeStatistics(decoder::DecodeStatistics statistics, CaseMaking& making) {
  making.tried = statistics.tried;
  making.rejected = statistics.rejected;
  making.precluded = statistics.precluded;
  making.acceptedOperators = std::move(statistics.accepted);
}

/// Switches off what the profile does without, and notes where that makes a difference.
void applyProfile(const Profile& profile, decoder::DecodeOptions& options, catalogue::Exclusions& exclusions) {
  catalogue::Features& features = options.features;
  const std::pair<Profile::Feature, bool catalogue::Features::*> switches[] = {
      {Profile::Feature::kBackward, &catalogue::Features::backward},
      {Profile::Feature::kMutation, &catalogue::Features::mutation},
      {Profile::Feature::kAliasedInputs, &catalogue::Features::aliasedInputs},
      {Profile::Feature::kRandom, &catalogue::Features::random},
      {Profile::Feature::kModules, &catalogue::Features::modules},
      {Profile::Feature::kDataBranches, &catalogue::Features::dataBranches},
      {Profile::Feature::kCustomOperators, &catalogue::Features::customOperators}};
  for (const auto& [feature, entry] : profile.without) {
    for (const auto& [known, member] : switches) {
      if (known == feature && features.*member) {
        features.*member = false;
        exclusions.hit.insert(entry);
      }
    }
  }
  for (const Profile::Feature feature : profile.always) {
    for (const auto& [known, member] : switches) {
      features.*member = features.*member || known == feature;
    }
  }
  features.minimumOperations = profile.minimumOperations.value_or(features.minimumOperations);
  features.maximumOperations = profile.maximumOperations.value_or(features.maximumOperations);
  features.minimumOperations = std::min(features.minimumOperations, features.maximumOperations);
  options.maximumRank = profile.maximumRank.value_or(options.maximumRank);
  options.maximumElements = profile.maximumElements.value_or(options.maximumElements);
  if (!exclusions.operators.empty() || !exclusions.dtypes.empty()) {
    features.exclusions = &exclusions;
  }
}

/// None when nothing that eager takes comes of the stored Cases: the Case is generated then.
std::optional<language::Case> deriveCase(const GeneratedCase& wanted, const Profile& profile, CaseMaking& making) {
  Progress& progress = currentProgress();
  progress.enter("parse");
  std::vector<language::Case> starts;
  for (const std::string& text : wanted.starts) {
    if (language::Case start = parser::parsePrinted(text); language::needsPython(start).empty()) {
      starts.push_back(std::move(start)); // what is derived is executed while it is written
    }
  }
  progress.enter("derive");
  decoder::DecodeStatistics statistics;
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(wanted.seed, wanted.index, partsFor(wanted.parts, profile));
  options.onRecord = [&](int record) { progress.record = record; };
  options.statistics = &statistics;
  options.sameCalls = wanted.sameCalls;
  std::optional<mutation::MutatedCase> derived = mutation::deriveCase(wanted.seed, wanted.index, starts, options);
  if (!derived) {
    return std::nullopt;
  }
  takeStatistics(std::move(statistics), making);
  making.derivation = mutation::mutationKindName(derived->mutation);
  return std::move(derived->theCase);
}

/// What the profile asks of every Case.
bool hasAlways(const language::Case& theCase, const Profile& profile) {
  if (profile.always.empty()) {
    return true;
  }
  const features::CaseFeatures features = features::describeCase(theCase);
  const std::map<Profile::Feature, bool> has{{Profile::Feature::kBackward, features.backward},
                                             {Profile::Feature::kMutation, features.mutation},
                                             {Profile::Feature::kAliasedInputs, features.aliasedInputs},
                                             {Profile::Feature::kCustomOperators, features.customOperators}};
  return std::all_of(profile.always.begin(), profile.always.end(),
                     [&](Profile::Feature feature) { return has.at(feature); });
}

language::Case generateCase(const GeneratedCase& wanted, const Profile& profile, CaseMaking& making,
                            CatalogueUses* uses) {
  Progress& progress = currentProgress();
  progress.enter("decode");
  if (wanted.sequences) {
    return sequences::makeSequence(wanted.seed, wanted.index);
  }
  if (!wanted.starts.empty()) {
    if (std::optional<language::Case> derived = deriveCase(wanted, profile, making)) {
      return std::move(*derived);
    }
    progress.enter("decode");
  }
  decoder::DecodeStatistics statistics;
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(wanted.seed, wanted.index, partsFor(wanted.parts, profile));
  catalogue::Exclusions exclusions = profile.exclusions;
  applyProfile(profile, options, exclusions);
  options.onRecord = [&](int record) { progress.record = record; };
  options.statistics = &statistics;
  options.wantUses = uses != nullptr;
  options.sameCalls = wanted.sameCalls;
  // A third of all Cases have a backward; more have a write, or arguments that share memory.
  constexpr uint64_t kAttempts = 50;
  const auto noted = exclusions.hit;
  language::Case decoded;
  bool isWanted = false;
  for (uint64_t attempt = 0; attempt < kAttempts && !isWanted; ++attempt) {
    statistics = {};
    exclusions.hit = noted;
    const uint64_t seed = wanted.seed + attempt * 0x9e3779b97f4a7c15; // of another stream of Recipes
    decoded = decoder::decode(catalogue::makeRecipe(seed, wanted.index, options.features), options);
    isWanted = hasAlways(decoded, profile);
  }
  if (!isWanted) {
    exclusions.hit.insert("features always: not met");
  }
  making.exclusions.assign(exclusions.hit.begin(), exclusions.hit.end());
  if (uses != nullptr) {
    *uses = {std::move(statistics.uses), std::move(statistics.overloads)};
  }
  takeStatistics(std::move(statistics), making);
  return decoded;
}

language::Case probeCase(const ProbedCase& wanted, CaseMaking& making) {
  currentProgress().enter("decode");
  std::vector<probes::ProbeSpecification> probes;
  for (const Probe& each : wanted.probes) {
    probes.push_back({each.operatorName, *dtypeFromName(each.dtype), each.backward});
  }
  if (probes.size() == 1) {
    std::optional<language::Case> made = probes::probeCase(probes.front());
    making.notApplicable = !made.has_value();
    return made.value_or(language::Case());
  }
  probes::ProbeGroup group = probes::probeGroup(probes);
  for (size_t position = 0; position < probes.size(); ++position) {
    switch (group.places[position]) {
      case probes::ProbePlace::kInside: break;
      case probes::ProbePlace::kApart: making.apart.push_back(position); break;
      case probes::ProbePlace::kNotApplicable: making.withoutCase.push_back(position); break;
    }
  }
  making.notApplicable = group.theCase.functions.empty();
  return std::move(group.theCase);
}

/// What the profile asks of every Case, whatever it was made from.
void applyProfile(const Profile& profile, language::Case& theCase) {
  if (!profile.device.empty()) {
    theCase.setHeader(language::kDeviceHeader, profile.device);
  }
  theCase.compile.dynamic = profile.setsDynamic ? profile.compile.dynamic : theCase.compile.dynamic;
  for (language::CallSpec& call : theCase.calls) {
    call.compiledAutograd = call.compiledAutograd || (profile.compilesBackwards && call.backward);
  }
  theCase.compile.fullgraph = profile.setsFullgraph ? profile.compile.fullgraph : theCase.compile.fullgraph;
}

} // namespace

TOUCHSTONE_JSON_FIELDS(PrintedCase, text)
TOUCHSTONE_JSON_FIELDS(GeneratedCase, seed, index, sequences, sameCalls, starts, parts)
TOUCHSTONE_JSON_FIELDS(Probe, operatorName, dtype, backward)
TOUCHSTONE_JSON_FIELDS(ProbedCase, probes)
TOUCHSTONE_JSON_FIELDS(CaseMaking, tried, rejected, precluded, acceptedOperators, derivation, exclusions, notApplicable,
                       withoutCase, apart, seconds)

void to_json(nlohmann::json& object, const CaseSource& source) {
  putVariant(object, source, KindsOf<CaseSource>::kNames);
}

void from_json(const nlohmann::json& object, CaseSource& source) {
  takeVariant(object, source, KindsOf<CaseSource>::kNames);
}

catalogue::Parts partsFor(std::vector<std::string> names, const Profile& profile) {
  if (profile.setsDynamic && profile.compile.dynamic != std::optional(false)) {
    names.insert(names.begin(), "dynamic");
  }
  return catalogue::partsOf(names);
}

std::optional<language::Case> makeCase(const CaseSource& source, const Profile& profile, CaseMaking& making,
                                       CatalogueUses* uses) {
  const double begin = wallSeconds();
  language::Case theCase;
  if (const auto* printed = std::get_if<PrintedCase>(&source)) {
    currentProgress().enter("parse");
    theCase = parser::parsePrinted(printed->text);
  } else if (const auto* probed = std::get_if<ProbedCase>(&source)) {
    theCase = probeCase(*probed, making);
  } else {
    theCase = generateCase(std::get<GeneratedCase>(source), profile, making, uses);
  }
  making.seconds = wallSeconds() - begin;
  if (making.notApplicable) {
    return std::nullopt;
  }
  applyProfile(profile, theCase);
  return theCase;
}

} // namespace touchstone::worker
