#include "base/Words.h"

#include "program/language/Case.h"

#include <gtest/gtest.h>

namespace touchstone::graph {

TEST(WordsTest, OneIsSingular) {
  EXPECT_EQ(counted(0, "finding"), "0 findings");
  EXPECT_EQ(counted(1, "finding"), "1 finding");
  EXPECT_EQ(counted(2, "finding"), "2 findings");
}

TEST(WordsTest, AHeaderIsOneLineWhateverItsText) {
  EXPECT_EQ(oneLine("a\nb\r\n"), "a b");
  EXPECT_EQ(oneLine(" \n"), "");
  Case theCase;
  theCase.setHeader("symptom", "a\nb\n");
  theCase.setHeader("symptom", "c\nd\n");
  EXPECT_EQ(theCase.header("symptom"), "c d");
}

} // namespace touchstone::graph
