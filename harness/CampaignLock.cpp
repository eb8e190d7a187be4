#include "harness/CampaignLock.h"

#include "harness/CommandLine.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace touchstone::harness {

CampaignLock::CampaignLock(const std::filesystem::path& state) {
  std::error_code ignored; // writing the state says it better
  std::filesystem::create_directories(state.parent_path(), ignored);
  std::filesystem::path path = state;
  path.replace_extension(".lock");
  file_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    throw WrongUse(fmt::format(
        "Another campaign is running in `{}`. Wait for its end, or end it (with --resume it goes on), or name "
        "another folder with --findings; with --store FILE the campaigns of several folders keep one store.",
        state.parent_path().string()));
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

} // namespace touchstone::harness
