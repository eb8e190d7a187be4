#include "harness/campaign/CampaignLock.h"

#include "base/ExitStatus.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace touchstone::campaign {

namespace {

constexpr int kTrials = 20;
constexpr auto kBetweenTrials = std::chrono::milliseconds(10);

/// By another process; else it is ours now.
bool isHeld(int file) {
  return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace

CampaignLock::CampaignLock(const std::filesystem::path& state)
    : CampaignLock(
          state, fmt::format("Another campaign is running in `{}`. Wait for its end, or end it (with --resume it goes "
                             "on), or name another folder with --findings; with --store FILE the campaigns of "
                             "several folders keep one store.",
                             state.parent_path().string())) {}

CampaignLock::CampaignLock(const std::filesystem::path& state, const std::string& refusal) {
  std::error_code ignored; // writing the state says it better
  std::filesystem::create_directories(state.parent_path(), ignored);
  std::filesystem::path path = state;
  path.replace_extension(".lock");
  file_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  bool isTaken = file_ >= 0 && isHeld(file_);
  for (int trial = 0; isTaken && trial < kTrials; ++trial) { // whoever asks isFree() holds it for a moment
    std::this_thread::sleep_for(kBetweenTrials);
    isTaken = isHeld(file_);
  }
  if (isTaken) {
    close(file_);
    throw base::WrongUse(refusal);
  }
}

bool CampaignLock::isFree(const std::filesystem::path& state) {
  std::filesystem::path path = state;
  path.replace_extension(".lock");
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  const bool free = flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return free;
}

CampaignLock::~CampaignLock() {
  if (file_ >= 0) {
    close(file_);
  }
}

} // namespace touchstone::campaign
