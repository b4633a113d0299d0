// SPDX-License-Identifier: Apache-2.0
#include "control/cli/text_table.hh"

#include <gtest/gtest.h>

namespace rackway::cli {
namespace {

const std::vector<TextColumn> kColumns{
    {"NAME", Align::left}, {"N", Align::right}, {"LAST", Align::left}};

TEST(TextTable, HasItsHeaderAloneWithoutRows) {
  EXPECT_EQ(render_table(kColumns, {}), "NAME  N  LAST\n");
}

TEST(TextTable, AlignsCellsUnderTheirHeaders) {
  EXPECT_EQ(render_table(kColumns, {{"a", "1", "x"}, {"longer", "12345", "y z"}, {"bb", "-", ""}}),
            "NAME        N  LAST\n"
            "a           1  x\n"
            "longer  12345  y z\n"
            "bb          -\n");
}

TEST(TextTable, CountsCharactersNotOctets) {
  EXPECT_EQ(render_table(kColumns, {{"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4", "1", "x"},
                                    {"abcde", "2", "y"}}),
            "NAME   N  LAST\n"
            "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4  1  x\n"
            "abcde  2  y\n");
}

TEST(TextTable, ShowsControlCharactersAsQuestionMarks) {
  EXPECT_EQ(render_table(kColumns, {{"a\nb", "1", "\x1b[31m\x7f\t"}}),
            "NAME  N  LAST\n"
            "a?b   1  ?[31m??\n");
}

}  // namespace
}  // namespace rackway::cli
