#include "base/AtomicFile.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace touchstone::tests {

namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "atomic_file_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// How many files there are, unfinished ones among them.
  long count() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

TEST_F(AtomicFileTest, ReplacesAFileAndLeavesNothingBeside) {
  base::writeFile(folder_ / "new" / "file", "one");
  base::writeFile(folder_ / "new" / "file", "two");
  EXPECT_EQ(base::readFile(folder_ / "new" / "file"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "new"), fs::directory_iterator()), 1);
}

TEST_F(AtomicFileTest, ALinkStaysAndWhatItLeadsToIsWritten) {
  base::writeFile(folder_ / "file", "one");
  fs::create_symlink("file", folder_ / "link");
  base::tryToWrite(folder_ / "link");
  base::writeFile(folder_ / "link", "two");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(base::readFile(folder_ / "file"), "two");
  EXPECT_EQ(count(), 2);
}

TEST_F(AtomicFileTest, APipeIsWrittenToAndStays) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  base::tryToWrite(pipe);
  base::writeFile(pipe, "text");
  char bytes[8] = {};
  EXPECT_EQ(read(reader, bytes, sizeof bytes), 4);
  close(reader);
  EXPECT_EQ(std::string(bytes), "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(count(), 1);
}

TEST_F(AtomicFileTest, AStreamOfTheProcessIsWrittenToBehindWhatItHas) {
  const int stream = open((folder_ / "file").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(write(stream, "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(stream), folder_ / "stdout"); // as /dev/stdout is
  base::tryToWrite(folder_ / "stdout");
  base::writeFile(folder_ / "stdout", "text");
  close(stream);
  EXPECT_TRUE(fs::is_symlink(folder_ / "stdout"));
  EXPECT_EQ(base::readFile(folder_ / "file"), "before text");
  EXPECT_EQ(count(), 2);
}

} // namespace

} // namespace touchstone::tests
