#pragma once

#include <filesystem>
#include <string>

namespace touchstone::campaign {

/// Keeps a second process from the state of a running campaign: holds a lock (flock) on a file beside it, `campaign.lock`
/// beside `campaign.json`, which stays there. The lock ends with the process, however that ends; workers do not inherit it.
class CampaignLock {
 public:
  /// Makes the folder. Throws WrongUse when another process holds the lock; where there are no locks, nothing is held.
  explicit CampaignLock(const std::filesystem::path& state);
  /// The same for another work than a campaign; `refusal`: what WrongUse says then.
  CampaignLock(const std::filesystem::path& state, const std::string& refusal);
  ~CampaignLock();
  CampaignLock(const CampaignLock&) = delete;
  CampaignLock& operator=(const CampaignLock&) = delete;

  /// Nobody holds it: the campaign that had this state is gone. False where that cannot be told.
  static bool isFree(const std::filesystem::path& state);

 private:
  int file_ = -1;
};

} // namespace touchstone::campaign
