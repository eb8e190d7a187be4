#include "harness/store/StoreSchema.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace touchstone::store {

namespace {

constexpr int64_t kApplication = 0x546f7563; // `Touc`

struct StoreMigration {
  int version; // that it makes of the one before it
  const char* statements;
};

// What is here has been written by somebody: a change is a further entry. docs/store.md describes the tables.
constexpr std::array<StoreMigration, kStoreVersion> kStoreMigrations = {{
    {1, R"(
CREATE TABLE campaigns (
  id TEXT PRIMARY KEY, seed TEXT NOT NULL, options TEXT NOT NULL, torch TEXT NOT NULL, catalogue INTEGER NOT NULL,
  cpu TEXT NOT NULL, begun TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '', state TEXT NOT NULL,
  cases INTEGER NOT NULL DEFAULT 0, calls_judged INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0);
CREATE TABLE findings (
  id TEXT PRIMARY KEY, backend TEXT NOT NULL, symptom TEXT NOT NULL, origin TEXT NOT NULL, base TEXT NOT NULL,
  skeleton TEXT NOT NULL, stage TEXT NOT NULL, oracle TEXT NOT NULL, operations INTEGER NOT NULL, message TEXT NOT NULL,
  case_text TEXT NOT NULL, file TEXT NOT NULL, status TEXT NOT NULL, first_seen TEXT NOT NULL, last_seen TEXT NOT NULL,
  first_torch TEXT NOT NULL, last_torch TEXT NOT NULL, hits INTEGER NOT NULL DEFAULT 0);
CREATE TABLE sightings (
  finding TEXT NOT NULL REFERENCES findings (id), campaign TEXT NOT NULL REFERENCES campaigns (id),
  case_index TEXT NOT NULL, backend TEXT NOT NULL, found_by TEXT NOT NULL, seen TEXT NOT NULL, how TEXT NOT NULL,
  PRIMARY KEY (finding, campaign, case_index, backend)) WITHOUT ROWID;
)"},
    {2, R"(
ALTER TABLE campaigns ADD COLUMN state_file TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN status_since TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN decided TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN decided_at TEXT NOT NULL DEFAULT '';
UPDATE findings SET status_since = first_seen;
UPDATE findings SET decided = status, decided_at = last_seen WHERE status <> 'new';
CREATE TABLE counts (
  campaign TEXT NOT NULL REFERENCES campaigns (id), backend TEXT NOT NULL, outcome TEXT NOT NULL, cases INTEGER NOT NULL,
  PRIMARY KEY (campaign, backend, outcome)) WITHOUT ROWID;
CREATE TABLE retests (
  finding TEXT NOT NULL REFERENCES findings (id), tested TEXT NOT NULL, torch TEXT NOT NULL, outcome TEXT NOT NULL,
  status_before TEXT NOT NULL, status_after TEXT NOT NULL,
  PRIMARY KEY (finding, tested, torch)) WITHOUT ROWID;
)"},
    {3, R"(
UPDATE sightings SET how = 'suppressed' WHERE how = 'masked';
UPDATE counts SET outcome = 'Suppressed' WHERE outcome = 'Masked';
)"},
}};

void migrateStore(Database& database) {
  Transaction transaction(database);
  int version = storeVersion(database); // another process may have been here since
  for (const StoreMigration& each : kStoreMigrations) {
    if (each.version > version) {
      database.execute(each.statements);
      version = each.version;
    }
  }
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, version));
  transaction.commit();
}

constexpr const char* kNothingChanged = "Nothing in it was changed.";

/// Why the file is not to be used; empty: it is a store of this version or an older one. The file is only read.
std::string troubleSeen(const std::filesystem::path& file) {
  std::string damage;
  try {
    Database database(file, Database::Access::kRead);
    if (database.integer("PRAGMA application_id") != kApplication) {
      return fmt::format(
          "`{}` is no store of Touchstone: it belongs to another program, or is empty. {} Name another file, or move "
          "it away.",
          file.string(), kNothingChanged);
    }
    if (const int version = storeVersion(database); version > kStoreVersion || version < 1) {
      return fmt::format(
          "The store `{}` is of version {}; this Touchstone knows versions up to {}. {} Use the Touchstone that wrote "
          "it or a newer one, or name another store with --store.",
          file.string(), version, kStoreVersion, kNothingChanged);
    }
    damage = database.text("PRAGMA quick_check(1)");
  } catch (const StoreError& error) {
    damage = error.what();
  }
  return damage == "ok"
             ? ""
             : fmt::format(
                   "The store `{}` cannot be read or is damaged: {} {} Move it away: the next campaign makes "
                   "a new one and reads in the case files of its folder; or put a copy of it back.",
                   file.string(), damage, kNothingChanged);
}

/// The same. Without a log the file is read as if nobody wrote to it: where somebody began to, it is looked at once more.
std::string troubleOfStore(const std::filesystem::path& file) {
  const bool hadLog = Database::hasLog(file);
  std::string trouble = troubleSeen(file);
  return trouble.empty() || hadLog || !Database::hasLog(file) ? trouble : troubleSeen(file);
}

void refuseTrouble(const std::filesystem::path& file) {
  if (const std::string trouble = troubleOfStore(file); !trouble.empty()) {
    throw base::WrongUse(trouble);
  }
}

/// Made whole under another name first: nobody ever sees half of it.
void makeStore(const std::filesystem::path& file) {
  if (file.has_parent_path()) {
    std::error_code ignored; // opening says it better
    std::filesystem::create_directories(file.parent_path(), ignored);
  }
  const std::filesystem::path part = base::unfinishedName(file);
  try {
    Database database(part, Database::Access::kCreate);
    migrateStore(database);
    database.execute("PRAGMA journal_mode = WAL");
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  const bool made = link(part.c_str(), file.c_str()) == 0;
  const int error = errno;
  std::filesystem::remove(part);
  if (!made && error != EEXIST) { // EEXIST: another process was faster
    throw StoreError(fmt::format("The store `{}` cannot be made: {}.", file.string(), std::strerror(error)));
  }
}

} // namespace

std::filesystem::path storeFile(const std::filesystem::path& path) {
  const bool isFolder = std::filesystem::exists(path) ? std::filesystem::is_directory(path) : !path.has_extension();
  return isFolder ? path / kStoreName : path;
}

Database openStore(const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) {
    refuseTrouble(file);
  } else {
    makeStore(file);
  }
  Database database(file, Database::Access::kWrite);
  // With a log, what is committed is in a file before commit() returns: it outlives the process, however that ends. Only
  // the machine's own end can take the last transactions with it, as NORMAL does not wait for the disk.
  database.execute("PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (storeVersion(database) < kStoreVersion) {
    migrateStore(database);
  }
  return database;
}

Database readStore(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    throw base::WrongUse(fmt::format("There is no store `{}`.", file.string()));
  }
  refuseTrouble(file);
  Database database(file, Database::Access::kRead);
  if (storeVersion(database) == kStoreVersion) {
    return database;
  }
  Database copy(file, Database::Access::kMemory);
  database.copyInto(copy);
  migrateStore(copy);
  return copy;
}

Database storeInMemory(const std::filesystem::path& name) {
  Database database(name, Database::Access::kMemory);
  database.execute("PRAGMA foreign_keys = ON");
  migrateStore(database);
  return database;
}

const char* storeMigration(int version) {
  return kStoreMigrations.at(static_cast<size_t>(version) - 1).statements;
}

int storeVersion(Database& database) {
  return static_cast<int>(database.integer("PRAGMA user_version"));
}

int64_t storeApplication() {
  return kApplication;
}

} // namespace touchstone::store
