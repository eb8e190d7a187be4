#include "base/Words.h"

#include "program/language/Case.h"

#include <gtest/gtest.h>

namespace touchstone::tests {

TEST(WordsTest, OneIsSingular) {
  EXPECT_EQ(base::counted(0, "finding"), "0 findings");
  EXPECT_EQ(base::counted(1, "finding"), "1 finding");
  EXPECT_EQ(base::counted(2, "finding"), "2 findings");
}

TEST(WordsTest, AHeaderIsOneLineWhateverItsText) {
  EXPECT_EQ(base::oneLine("a\nb\r\n"), "a b");
  EXPECT_EQ(base::oneLine(" \n"), "");
  language::Case theCase;
  theCase.setHeader("symptom", "a\nb\n");
  theCase.setHeader("symptom", "c\nd\n");
  EXPECT_EQ(theCase.header("symptom"), "c d");
}

} // namespace touchstone::tests
