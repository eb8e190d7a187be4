#include "harness/campaign/CampaignOptions.h"

#include "backends/Registry.h"
#include "generators/decoder/Decoder.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/pool/ProfileFlags.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <utility>

namespace touchstone::campaign {

namespace {

using nlohmann::json;

constexpr uint64_t kCasesForAWorker = 4; // fewer are not worth that another one starts

// What an option is read into, as JSON.
template <class Value>
json valueOf(const Value* target) {
  return *target;
}
template <class Value>
json valueOf(const std::optional<Value>* target) {
  return target->has_value() ? json(**target) : json();
}
json valueOf(options::Off off) {
  return !*off.target;
}

template <class... Value>
json valueOf(const options::Takes<Value...>& takes) {
  throw std::logic_error("what takes a value does not keep it");
}

template <class Value>
void assign(Value* target, const json& value) {
  value.get_to(*target);
}
template <class Value>
void assign(std::optional<Value>* target, const json& value) {
  *target = value.is_null() ? std::nullopt : std::optional<Value>(value.get<Value>());
}
void assign(options::Off off, const json& value) {
  *off.target = !value.get<bool>();
}

template <class... Value>
void assign(const options::Takes<Value...>& takes, const json& value) {
  throw std::logic_error("what takes a value does not take it from JSON");
}

/// How long an option holds: for the campaign, which keeps it in its state, or for one run of it.
enum class Lasting { kCampaign, kRun };

/// One option of a campaign: its flag and its JSON.
struct CampaignOption {
  CampaignOption(options::Option row, Lasting lasting = Lasting::kCampaign) : option(std::move(row)), lasting(lasting) {
    write = [target = option.target] { return std::visit([](const auto& each) { return valueOf(each); }, target); };
    read = [target = option.target](const json& value) {
      std::visit([&](const auto& each) { assign(each, value); }, target);
    };
  }
  CampaignOption(std::string names, options::Target target, std::string help, options::Traits traits = {})
      : CampaignOption(options::Option{std::move(names), std::move(target), std::move(help), std::move(traits)}) {}

  options::Option option;
  Lasting lasting;
  std::function<json()> write;
  std::function<void(const json&)> read;
};

void readShard(const std::string& text, FuzzOptions& options) {
  unsigned long long part = 0, parts = 0;
  int end = 0;
  if (std::sscanf(text.c_str(), "%llu/%llu%n", &part, &parts, &end) != 2 || static_cast<size_t>(end) != text.size() ||
      part < 1 || part > parts) {
    throw options::BadValue("Expected I/N with 1 <= I <= N, such as 2/8; got `" + text + "`.");
  }
  options.shard = part;
  options.shards = parts;
}

CampaignOption shardOption(FuzzOptions& options) {
  CampaignOption row("--shard",
                     options::Takes<std::string>{[&options](const std::string& text) { readShard(text, options); }},
                     "I/N: take every N-th Case, beginning with the I-th");
  row.write = [&options] { return json::array({options.shard, options.shards}); };
  row.read = [&options](const json& value) {
    options.shard = value.at(0);
    options.shards = value.at(1);
  };
  return row;
}

/// Every option, in the order of the help: what stands here is a flag, in the state, and there again with --resume.
std::vector<CampaignOption> rows(FuzzOptions& o) {
  std::vector<CampaignOption> list{
      {"--seconds", &o.seconds, "Stop after so many seconds", options::aboveZero()},
      {"--cases", &o.cases, "Stop after so many Cases; with a --seed, the same ones every time",
       options::aboveZero().excluding("--seconds")},
      {options::seed(&o.seed, "Seed of the campaign; without it a fresh one is made and printed", false)},
      {options::start(o.start)},
      {"--calls", &o.calls,
       "Calls of each Case that change nothing but values, tangents and what is differentiated, so that what was "
       "compiled is used again; single changes come on top. Without it " +
           fmt::format("{} where one of the backends is a torch.compile, else {}", decoder::kSameCallsOfTorchCompile,
                       decoder::kSameCalls),
       options::between(2, decoder::kMaximumSameCalls)},
      {pool::partOption(
          o.parts,
          "A part that Cases are drawn with (docs/fuzzing.md tells what each is good for), or with `no-` "
          "before it one that they are not; may be given several times: `--part no-all --part dense`. Without it all are")},
      {"--sequences", &o.sequences,
       "Cases of two to four calls that each change one thing of the call before: size, rank, stride, offset, dtype, "
       "requires_grad, leaf, view, identity, shared memory and its distance, ints, floats, bools, strings, None, "
       "lists, dict keys, modules, grad mode, autocast, or nothing but the values"},
      shardOption(o),
      {options::jobs(o.workers, std::string(options::kJobs) + "; without it one a core", false), Lasting::kRun},
      {options::backends(o.backends,
                         "Backends to judge, separated by commas; by default the profile's, without one "
                         "eager,torch:aot_eager")},
      {"--findings", &o.findings, "Folder of findings; those in it already are known", options::shown()},
      {"--store", &o.store,
       "Database of findings and campaigns, which several campaigns may share while they run; by default "
       "`store.sqlite` in the folder of findings. `touchstone findings` shows it"},
      {"--max-findings", &o.maximumFindings, "Stop after so many new findings; 0: never",
       options::notNegative().shown()},
      {"--known", &o.known,
       "File of known findings (docs/known.md): what it has is counted, and neither confirmed, reduced nor reported, "
       "until its day has passed"},
      {baseline::todayOption(o.today), Lasting::kRun},
      {"--suppressions", &o.suppressions,
       "Whose new findings get a suppression, by which their like is told whatever it shows: those of `native` backends, "
       "`all` (some 200 small Cases are judged for each), or `none`",
       options::oneOf({"native", "all", "none"}).shown()},
      {{"--events", &o.events, "File for JSON lines as things happen"}, Lasting::kRun},
      {"--corpus", &o.corpus,
       "Files and folders of Cases that others are made of: their Programs are continued, changed, or spliced into "
       "each other"},
      {"--corpus-share", &o.corpusShare, "With --corpus: so large a share of the Cases is made in this way",
       options::between(0.0, 1.0).shown()},
      {"--no-feedback", options::Off{&o.feedback},
       "With --seconds, do not go on from the campaign's own Cases that were first to show something, such as an "
       "operator on another layout or behind another one on the same memory. With --cases and --shard that is off "
       "anyway"},
      {{"--resume", &o.resume,
        "Folder of a campaign that was ended: go on where it was, with the options it was begun with. Without one "
        "there, begin it and keep its state there"},
       Lasting::kRun},
      {"--require-valid", &o.requireValid, "Exit 4 when too little of the campaign tested anything"},
      {"--max-unjudged", &o.maximumUnjudged, "Exit 4 above this share of unjudged Cases",
       options::between(0.0, 1.0).shown()},
      {"--judge-only", &o.judgeOnly,
       "Only count outcomes: nothing is confirmed, reduced or stored, so nothing becomes a finding; the state is "
       "kept only where --resume names a folder for it"},
      {"--reduce-seconds", &o.reduceSeconds, "Time to reduce each finding", options::notNegative().shown()},
  };
  for (const options::Option& limit : pool::limitOptions(o.limits)) {
    list.emplace_back(limit);
  }
  list.emplace_back(options::jsonFlag(o.json), Lasting::kRun);
  return list;
}

} // namespace

options::OptionList campaignOptions(FuzzOptions& options) {
  options::OptionList list;
  for (const CampaignOption& row : rows(options)) {
    list = {list, row.option};
  }
  return list;
}

json optionsJson(FuzzOptions options) {
  json object;
  for (const CampaignOption& row : rows(options)) {
    if (row.lasting == Lasting::kCampaign) {
      object[row.option.name()] = row.write();
    }
  }
  object["--profile"] = options.profile.text;
  return object;
}

FuzzOptions optionsFromJson(const json& object) {
  FuzzOptions options;
  for (const CampaignOption& row : rows(options)) {
    if (row.lasting == Lasting::kCampaign && object.contains(row.option.name())) {
      row.read(object.at(row.option.name()));
    }
  }
  if (const std::string text = object.at("--profile"); !text.empty()) {
    options.profile = worker::readProfile(text, "the profile of the campaign");
  }
  return options;
}

FuzzOptions resumedOptions(FuzzOptions begun, FuzzOptions given) {
  const std::vector<CampaignOption> asked = rows(given);
  std::vector<CampaignOption> result = rows(begun);
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i].lasting == Lasting::kRun) {
      result[i].read(asked[i].write());
    }
  }
  return begun;
}

int workersOf(const FuzzOptions& options) {
  if (options.workers > 0) {
    return options.workers;
  }
  const uint64_t cores = options.profile.isOnDevice() ? 1 : std::clamp(std::thread::hardware_concurrency(), 1U, 256U);
  const uint64_t useful = options.cases.has_value() ? *options.cases / options.shards / kCasesForAWorker : cores;
  return static_cast<int>(std::clamp<uint64_t>(useful, 1, cores));
}

static bool compilesTorch(const FuzzOptions& options) {
  return std::any_of(options.backends.begin(), options.backends.end(), [](const std::string& name) {
    const ir::BackendInfo info = backends::backendInfo(name);
    return info.family == ir::Family::kTorch && info.compiles;
  });
}

int callsOf(const FuzzOptions& options) {
  return options.calls.value_or(compilesTorch(options) ? decoder::kSameCallsOfTorchCompile : decoder::kSameCalls);
}

std::vector<std::string> partNamesOf(const FuzzOptions& options) {
  std::vector<std::string> names = options.parts;
  if (compilesTorch(options)) {
    names.emplace(names.begin(), "flags");
    const bool isTorchAlone = std::ranges::all_of(options.backends, [](const std::string& name) {
      return backends::backendInfo(name).family == ir::Family::kTorch;
    });
    if (isTorchAlone) {
      names.emplace(names.begin(), "python");
    }
  }
  return names;
}

} // namespace touchstone::campaign
