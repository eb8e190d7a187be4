#include "harness/store/FindingFiles.h"

#include "base/AtomicFile.h"
#include "harness/findings/FindingHeaders.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <regex>
#include <set>

namespace touchstone::store {

namespace {

/// `7` and `12` of `seed 7 case 12`.
std::pair<std::string, std::string> seedAndIndexOf(const std::string& foundBy) {
  static const std::regex kFoundBy("seed ([0-9]+) case ([0-9]+)");
  std::smatch match;
  return std::regex_search(foundBy, match, kFoundBy) ? std::pair(match[1].str(), match[2].str())
                                                     : std::pair<std::string, std::string>();
}

std::string timeOfFile(const std::filesystem::path& path) {
  const auto written = std::filesystem::last_write_time(path);
  const auto age = std::filesystem::file_time_type::clock::now() - written;
  const auto now = std::chrono::system_clock::now();
  return timeText(age.count() > 0 ? now - std::chrono::duration_cast<std::chrono::milliseconds>(age) : now);
}

/// The campaign that these headers tell of; the same headers give the same id.
StoredCampaign campaignOfHeaders(const findings::FindingHeaders& headers, const std::string& seed,
                                 const std::string& time) {
  StoredCampaign campaign;
  campaign.seed = seed;
  campaign.options = "{}";
  campaign.torch = headers.torch;
  campaign.cpu = headers.cpu;
  const std::string& generator = headers.generator;
  campaign.catalogue = std::atoi(generator.c_str() + std::min(generator.size(), generator.find_last_of(' ') + 1));
  campaign.begun = time;
  campaign.state = CampaignState::kUnknown;
  for (int part = 0; part < 4; ++part) {
    campaign.id += analysis::shortHash(fmt::format("{}|{}|{}|{}", part, seed, campaign.torch, campaign.cpu));
  }
  return campaign;
}

} // namespace

StoredFinding storedFindingOf(const language::Case& theCase, const std::string& text) {
  const findings::FindingHeaders headers = findings::headersOf(theCase);
  StoredFinding finding;
  finding.id = headers.cluster;
  finding.symptom = headers.symptom;
  finding.stage = headers.stage;
  finding.message = headers.message();
  finding.firstTorch = finding.lastTorch = headers.torch;
  const analysis::ProgramSignature signature = analysis::signatureOf(theCase);
  finding.signature = signature.text();
  finding.operations = static_cast<int64_t>(signature.operators.size());
  if (!theCase.expectations.empty()) {
    const std::string expectation = theCase.expectations[0].text();
    finding.oracle = expectation.substr(std::min(expectation.size(), expectation.find(' ') + 1));
  }
  finding.caseText = text;
  return finding;
}

std::vector<FindingFile> findingFilesIn(const std::filesystem::path& folder) {
  std::vector<FindingFile> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() != ".py") {
      continue;
    }
    try {
      FindingFile file{entry.path(), base::readFile(entry.path()), {}};
      parser::ParseOptions options;
      options.file = entry.path();
      options.checkMainPart = false;
      file.theCase = parser::parseCase(file.text, options);
      if (file.theCase.header("cluster").has_value()) {
        files.push_back(std::move(file));
      }
    } catch (const std::exception&) {
      continue; // a file of somebody else
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& left, const auto& right) { return left.path < right.path; });
  return files;
}

std::string caseIndexOf(const std::string& foundBy) {
  return seedAndIndexOf(foundBy).second;
}

void adoptFiles(FindingDatabase& database, const std::vector<FindingFile>& files) {
  std::set<std::string> stored;
  for (const StoredFinding& each : database.findings()) {
    stored.insert(each.id);
  }
  for (const FindingFile& file : files) {
    StoredFinding finding = storedFindingOf(file.theCase, file.text);
    if (!stored.insert(finding.id).second) {
      continue;
    }
    finding.file = file.path;
    StoredSighting sighting;
    sighting.finding = finding.id;
    sighting.backend = finding.symptom.backend;
    const findings::FindingHeaders headers = findings::headersOf(file.theCase);
    sighting.foundBy = headers.foundBy;
    const auto [seed, index] = seedAndIndexOf(sighting.foundBy);
    sighting.caseIndex = index;
    sighting.seen = timeOfFile(file.path);
    const StoredCampaign campaign = campaignOfHeaders(headers, seed, sighting.seen);
    sighting.campaign = campaign.id;
    database.adoptFinding(finding, sighting, campaign);
  }
}

std::filesystem::path writeCaseFile(const std::filesystem::path& folder, const std::string& name,
                                    const std::string& text) {
  const std::string stem = std::filesystem::path(name).stem();
  std::filesystem::path path = folder / name;
  return storing([&] {
    for (int number = 2; !base::writeNewFile(path, text) && base::readFile(path) != text; ++number) {
      path = folder / fmt::format("{}-{}.py", stem, number);
    }
    return path;
  });
}

} // namespace touchstone::store
