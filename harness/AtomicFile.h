#pragma once

#include <filesystem>
#include <string>

namespace touchstone::harness {

/// Writes the whole file or nothing: readers never see half of it. Makes the folder. Throws std::runtime_error naming the
/// file.
void writeFile(const std::filesystem::path& path, const std::string& text);
/// The same, but returns false and leaves the file alone when there is one of that name already.
bool writeNewFile(const std::filesystem::path& path, const std::string& text);
/// Finds out before work begins whether its result can be written there; leaves what is there as it is, but makes the folder.
/// No path: nothing to try. Throws WrongUse naming the file or folder.
void tryToWriteFile(const std::filesystem::path& path);
void tryToWriteInto(const std::filesystem::path& folder);
/// Throws std::runtime_error naming the file.
std::string readFile(const std::filesystem::path& path);

} // namespace touchstone::harness
