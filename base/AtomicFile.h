#pragma once

#include <filesystem>
#include <string>

namespace touchstone::base {

/// A name beside `path` for what is not finished: no other thread or process has it.
std::filesystem::path unfinishedName(const std::filesystem::path& path);
/// Writes the whole file or nothing: readers never see half of it. Makes the folder; a link stays and what it leads to is
/// written; to a device, a pipe or `/dev/stdout` the text is sent. Throws std::runtime_error naming the file.
void writeFile(const std::filesystem::path& path, const std::string& text);
/// The same, but returns false and leaves the file alone when there is one of that name already.
bool writeNewFile(const std::filesystem::path& path, const std::string& text);
/// Finds out whether the file could be written: leaves what is there as it is, but makes the folder. Throws as writeFile().
void tryToWrite(const std::filesystem::path& path);
/// Throws std::runtime_error naming the file.
std::string readFile(const std::filesystem::path& path);

/// Finds out before work begins whether its result can be written there; leaves what is there as it is, but makes the folder.
/// No path: nothing to try. Throws WrongUse naming the file or folder.
void tryToWriteFile(const std::filesystem::path& path);
void tryToWriteInto(const std::filesystem::path& folder);

} // namespace touchstone::base
