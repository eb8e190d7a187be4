#pragma once

#include "harness/store/Database.h"

#include <filesystem>

namespace touchstone::store {

constexpr int kStoreVersion = 3;
constexpr const char* kStoreName = "store.sqlite";

/// The store that a path means: of a folder `store.sqlite` in it, otherwise the path. A path that is not there is a file
/// when it has an extension, otherwise a folder.
std::filesystem::path storeFile(const std::filesystem::path& path);

/// Opens the store for writing. Makes it where there is none, and brings an older version up to this one. Throws WrongUse,
/// which says what to do, for a file that is no store, damaged, or of a newer version: it is not changed, and nothing is left
/// beside it.
Database openStore(const std::filesystem::path& file);
/// Only to be read: a store of this version as it is; of an older one a copy in memory, brought up. Throws as openStore().
Database readStore(const std::filesystem::path& file);
/// An empty one that is in memory. The name is for messages, and relative paths of files are meant from where it would lie.
Database storeInMemory(const std::filesystem::path& name);

/// The statements that make version `version` of the one before it; for tests.
const char* storeMigration(int version);
int storeVersion(Database& database);
/// The mark in a file's header that says that it is a store of ours.
int64_t storeApplication();

} // namespace touchstone::store
