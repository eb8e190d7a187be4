#pragma once

#include "harness/worker/Symptom.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace touchstone::store {

/// Where a finding stands: see docs/store.md.
enum class FindingStatus {
  kNew, // seen by the campaign that found it, and by no other
  kOpen, // a later campaign saw it again, or a retest did
  kKnown, // on the list of known bugs
  kFlaky, // retests do not agree with one another
  kFixed, // a retest did not see it any more
};
constexpr int kFindingStatusCount = 5;

enum class CampaignState {
  kRunning,
  kFinished,
  kInterrupted, // before its end, and knew it: Ctrl-C, --max-findings, a full disk
  kKilled, // its process is gone, and it said nothing
  kUnknown, // told of by case files alone
};

/// What a Case was to a finding.
enum class SightingKind {
  kNew, // the store did not have it
  kAgain, // it came down to it
  kRegression, // it came down to it, and it had been fixed
  kSuppressed, // it looks like it: not confirmed and not reduced, and no hit
};

// `new`; and back, which throws WrongUse that lists them.
std::string_view nameOf(FindingStatus status);
std::string_view nameOf(CampaignState state);
std::string_view nameOf(SightingKind kind);
void readName(std::string_view name, FindingStatus& status);
void readName(std::string_view name, CampaignState& state);
void readName(std::string_view name, SightingKind& kind);

// Times are texts, `2026-11-24T23:36:18.250Z`: their order is that of the texts.
std::string timeText(std::chrono::system_clock::time_point time);
std::string timeNow();

/// A row of `campaigns`, with its rows of `counts`.
struct StoredCampaign {
  std::string id; // 32 hexadecimal digits, random
  std::string seed;
  std::string options; // JSON
  std::string torch, cpu;
  int catalogue = 0;
  std::string begun, ended; // ended: empty while it runs or where that is not known
  CampaignState state = CampaignState::kRunning;
  int64_t cases = 0, callsJudged = 0;
  double seconds = 0;
  std::string stateFile; // campaign.json, absolute
  std::map<std::string, std::map<std::string, int64_t>> counts; // Cases by backend and outcome
};
std::string newCampaignId();

/// A row of `findings`.
struct StoredFinding {
  std::string id; // of the cluster
  worker::Symptom symptom;
  std::string signature; // operators, aliasing and modes of the reduced Case: a text to be looked at
  std::string stage; // `aot_functional (functionalization)`; empty: not known
  std::string oracle; // `Differs/values/call 0 output 0`
  int64_t operations = 0;
  std::string message;
  std::string caseText; // the reduced Case as its file has it
  std::string file; // the case file, absolute; empty: none
  FindingStatus status = FindingStatus::kNew; // follows from what was decided and what was seen since
  std::string statusSince;
  std::string decided, decidedAt; // the last status that a retest, a list or a person gave it; empty: none did
  std::string firstSeen, lastSeen; // suppressed sightings do not count
  std::string firstTorch, lastTorch;
  int64_t hits = 0; // Cases that came down to it, in all campaigns
};

/// A row of `sightings`: one for each finding, campaign, Case and backend.
struct StoredSighting {
  std::string finding, campaign;
  std::string caseIndex; // in its campaign
  std::string backend;
  std::string foundBy; // `seed 7 case 12, mutated from …`
  std::string seen;
  SightingKind how = SightingKind::kNew;
};

/// A row of `retests`.
struct StoredRetest {
  std::string finding, tested, torch;
  std::string outcome; // as in `# expect:` lines
  FindingStatus before = FindingStatus::kNew, after = FindingStatus::kNew;
};

} // namespace touchstone::store
