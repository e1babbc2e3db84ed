// Goal: `struct` makes and reads the bytes that Redis' does.
// Method: formats with the bytes they stand for, both ways; expected ones are Redis 7.0's.
#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

class StructLibrary : public testing::Test {
 protected:
  std::string Run(Bytes text) { return WireOfScript(engine_, host_, text); }

  // The bytes of struct.pack(arguments) as numbers.
  std::string Packed(const std::string& arguments) {
    return Run("local s=struct.pack(" + arguments +
               ") local t={} for i=1,#s do t[i]=s:byte(i) end return table.concat(t,' ')");
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_};
  PlainScriptHost host_;
};

TEST_F(StructLibrary, PacksIntegersInEitherOrder) {
  EXPECT_EQ(Packed("'>I2h',258,-2"), "$11 1 2 255 254");
  EXPECT_EQ(Packed("'<I2>I2',258,258"), "$7 2 1 1 2");
  EXPECT_EQ(Packed("'bBhH',-1,300,-2,65537"), "$18 255 44 254 255 1 0");
  EXPECT_EQ(Packed("'>l',1"), "$15 0 0 0 0 0 0 0 1");
  EXPECT_EQ(Packed("'<i3',-2"), "$11 254 255 255");
  EXPECT_EQ(Packed("'<i10',-2"), "$35 254 255 255 255 255 255 255 255 0 0");
  EXPECT_EQ(Packed("'i0',1"), "$0 ");
}

TEST_F(StructLibrary, PacksNumbersAndStrings) {
  EXPECT_EQ(Packed("'<fd',1.5,-2"), "$28 0 0 192 63 0 0 0 0 0 0 0 192");
  EXPECT_EQ(Packed("'sc2c0c','ab','cde','fg','h'"), "$26 97 98 0 99 100 102 103 104");
  EXPECT_EQ(Packed("'x b x',1"), "$5 0 1 0");
}

TEST_F(StructLibrary, Aligns) {
  EXPECT_EQ(Packed("'<!4bi',1,2"), "$15 1 0 0 0 2 0 0 0");
  EXPECT_EQ(Packed("'<!bd',1,0"), "$31 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  EXPECT_EQ(Packed("'<!2bi',1,2"), "$11 1 0 2 0 0 0");
  EXPECT_EQ(Run("return {struct.size('!4bi'),struct.size('bi'),struct.size('!8bdc3')}"),
            "*3 :8 :5 :19");
}

TEST_F(StructLibrary, UnpacksWhatItPacked) {
  EXPECT_EQ(
      Run("return {struct.unpack('>hHbBi3I3lL',struct.pack('>hHbBi3I3lL',-1,1,-2,2,-3,3,-4,4))}"),
      "*9 :-1 :1 :-2 :2 :-3 :3 :-4 :4 :29");
  EXPECT_EQ(Run("local a,b,c,d=struct.unpack('<fds',struct.pack('<fds',0.5,1e10,'x')) "
                "return {a*2,b,c,d}"),
            "*4 :1 :10000000000 $1 x :15");
  EXPECT_EQ(Run("return {struct.unpack('Bc0','\\3abc')}"), "*2 $3 abc :5");
  EXPECT_EQ(Run("return {struct.unpack('!4bi',struct.pack('!4bi',1,2))}"), "*3 :1 :2 :9");
  EXPECT_EQ(Run("return {struct.unpack('b','\\1\\2\\3',2)}"), "*2 :2 :3");
  EXPECT_EQ(Run("return {struct.unpack('<i16',struct.pack('<i16',-2))}"), "*2 :-2 :17");
  EXPECT_EQ(Run("return {struct.unpack('L',struct.pack('L',2^63))}"),
            "*2 :-9223372036854775808 :9");
}

TEST_F(StructLibrary, SaysWhatIsWrong) {
  const auto expect = [this](Bytes text, std::string_view error) {
    EXPECT_EQ(Run(text),
              fmt::format("-ERR user_script:1: {} script: {{sha}}, on @user_script:1.", error));
  };
  expect("return struct.pack('!3i',1)", "alignment 3 is not a power of 2");
  expect("return struct.size('s')", "bad argument #1 to 'size' (option 's' has no fixed size)");
  expect("return struct.size('c0')", "bad argument #1 to 'size' (option 'c0' has no fixed size)");
  expect("return struct.unpack('c0','abc')", "format 'c0' needs a previous size");
  expect("return struct.unpack('I4','abc')", "bad argument #2 to 'unpack' (data string too short)");
  expect("return struct.unpack('s','abc')", "unfinished string in data");
  expect("return struct.unpack('q','abc')",
         "bad argument #1 to 'unpack' (invalid format option 'q')");
  expect("return struct.pack('c5','abc')", "bad argument #2 to 'pack' (string too short)");
}

}  // namespace
}  // namespace mayfly::server
