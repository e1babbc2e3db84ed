// Goal: find, match, gmatch and gsub of scripts do what Lua's own do, and can be stopped.
// Method: calls with what Redis 7.0 answered; patterns that Lua would match for years.
#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

using namespace std::string_view_literals;

struct PatternCase {
  const char* call;
  std::string_view results;  // As text, with bars between; or the message of an error.
};

class PatternFunctions : public testing::Test {
 protected:
  // What the script returns as a string, with what Lua puts before errors cut off.
  std::string Run(const std::string& script) {
    std::string wire = WireOfScript(engine_, host_, script);
    if (wire.starts_with("$")) wire.erase(0, wire.find(' ') + 1);
    const std::string place = "user_script:1: ";
    const std::size_t at = wire.find(place);
    if (at != std::string::npos) wire.erase(at, place.size());
    return wire;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_};
  PlainScriptHost host_;
};

TEST_F(PatternFunctions, DoWhatLuasDo) {
  // clang-format off
  static constexpr PatternCase kCases[] = {
      {R"(find('hello world','o w'))", "5|7"sv},
      {R"(find('hello','l'))", "3|3"sv},
      {R"(find('hello','l',-2))", "4|4"sv},
      {R"(find('hello','xyz'))", ""sv},
      {R"(find('a.b','.',1,true))", "2|2"sv},
      {R"(find('a.b','%.'))", "2|2"sv},
      {R"(find('',''))", "1|0"sv},
      {R"(find('abc','',10))", "4|3"sv},
      {R"(find('abc','b',-100))", "2|2"sv},
      {R"(find('hello','(l)(l)'))", "3|4|l|l"sv},
      {R"(find('hello','()ll()'))", "3|4|3|5"sv},
      {R"(find('abc','^b'))", ""sv},
      {R"(find('abc','^a'))", "1|1"sv},
      {R"(find('a+b','+',1,true))", "2|2"sv},
      {R"(find('abc','c$'))", "3|3"sv},
      {R"(find('a$c','$c'))", "2|3"sv},
      {R"(find('abc','[a-b]+'))", "1|2"sv},
      {R"(find('abc','[^a]'))", "2|2"sv},
      {R"(find('a]c','[]]'))", "2|2"sv},
      {R"(find('a-c','[a-]+',2))", "2|2"sv},
      {R"(find('a^c','[%^]'))", "2|2"sv},
      {R"(find('x','[z-a]'))", ""sv},
      {R"(match('key = value','(%w+)%s*=%s*(%w+)'))", "key|value"sv},
      {R"(match('2024-01-02','(%d+)-(%d+)-(%d+)'))", "2024|01|02"sv},
      {R"(match('hello','.-l'))", "hel"sv},
      {R"(match('hello','.*l'))", "hell"sv},
      {R"(match('hello','.+o'))", "hello"sv},
      {R"(match('hello','h?e?x?l'))", "hel"sv},
      {R"(match('  trim  ','^%s*(.-)%s*$'))", "trim"sv},
      {R"(match('f(a(b)c)d','%b()'))", "(a(b)c)"sv},
      {R"(match('THE (quick) fox','%f[%a]%a+'))", "THE"sv},
      {R"(match('THE (quick) fox','%f[%a]%l+%f[%A]'))", "quick"sv},
      {R"(match('"hi" there','(["\'])(.-)%1'))", "\"|hi"sv},
      {R"(match('aXbX','(a)(X)b%2'))", "a|X"sv},
      {R"(match('abc','()'))", "1"sv},
      {R"(match('abc','(b)()'))", "b|3"sv},
      {R"(match('abc','%a',3))", "c"sv},
      {R"(match('a\0b','%z'))", "\000"sv},
      {R"(match('héllo','h(.-)llo'))", "\303\251"sv},
      {R"(match('0x1F','%x+',3))", "1F"sv},
      {R"(match('a,b,,c','([^,]*),',4))", ""sv},
      {R"(match('abc','[%a]+'))", "abc"sv},
      {R"(match('abc','[%d]*'))", ""sv},
      {R"(match('foo.bar','(.-)%.'))", "foo"sv},
      {R"(match('xaax','(x)(a-)%1'))", "x|aa"sv},
      {R"(match('aaab','a-b'))", "aaab"sv},
      {R"(match('a\nb','a%cb'))", "a\012b"sv},
      {R"(match('a!b','%p'))", "!"sv},
      {R"(match('aB','%U%L'))", "aB"sv},
      {R"(match('__','%W+'))", "__"sv},
      {R"(gsub('hello world','o','0'))", "hell0 w0rld|2"sv},
      {R"(gsub('hello','','-'))", "-h-e-l-l-o-|6"sv},
      {R"(gsub('hello','l','L',1))", "heLlo|1"sv},
      {R"(gsub('hello','(l)(l)','%2%1'))", "hello|1"sv},
      {R"(gsub('hello','.','%0%0'))", "hheelllloo|5"sv},
      {R"(gsub('hello','l','%%'))", "he%%o|2"sv},
      {R"(gsub('hello','l','%x'))", "hexxo|2"sv},
      {R"(gsub('abc','%w','%1'))", "abc|3"sv},
      {R"(gsub('$name is $age','%$(%w+)',{name='bob',age=3}))", "bob is 3|2"sv},
      {R"(gsub('abc','b',function(x) return x..x end))", "abbc|1"sv},
      {R"(gsub('abc','b',function() return nil end))", "abc|1"sv},
      {R"(gsub('abc','b',function() return false end))", "abc|1"sv},
      {R"(gsub('abc','.',{a=1,b=true and 'B'}))", "1Bc|3"sv},
      {R"(gsub('abc','^a','x'))", "xbc|1"sv},
      {R"(gsub('aaa','^a','x'))", "xaa|1"sv},
      {R"(gsub('abc','$','!'))", "abc!|1"sv},
      {R"(gsub('abc def','%f[%w]%w+',string.upper))", "ABC DEF|2"sv},
      {R"(gsub('abc','b*','-'))", "-a--c-|4"sv},
      {R"(gsub('abc',' *','-'))", "-a-b-c-|4"sv},
      {R"(gsub('hello','(h)(e)','%0-%1-%2'))", "he-h-ello|1"sv},
      {R"(gsub('abc','(a)(b)(c)',function(a,b,c) return c..b..a end))", "cba|1"sv},
      {R"(gsub('x','x','%'))", "\000|1"sv},
      {R"(gsub('abc','b',7))", "a7c|1"sv},
      {R"(gsub('abc','b','x',0))", "abc|0"sv},
      {R"(gsub('abc','b','x',-1))", "abc|0"sv},
      {R"(gsub('a b c','()%s','%1'))", "a2b4c|2"sv},
      {R"(find('a','['))", "malformed pattern (missing ']')"sv},
      {R"(find('a','[a'))", "malformed pattern (missing ']')"sv},
      {R"(find('a','[^'))", "malformed pattern (missing ']')"sv},
      {R"(find('a','%'))", "malformed pattern (ends with '%')"sv},
      {R"(find('a','('))", "unfinished capture"sv},
      {R"(find('a',')'))", ""sv},
      {R"(find('a','(a'))", "unfinished capture"sv},
      {R"(find('a','%1'))", "invalid capture index"sv},
      {R"(find('a','(a)%2'))", "invalid capture index"sv},
      {R"(find('a','%b'))", "unbalanced pattern"sv},
      {R"(find('a','%bx'))", "unbalanced pattern"sv},
      {R"(find('a','%f'))", "missing '[' after '%f' in pattern"sv},
      {R"(find('a','%fa'))", "missing '[' after '%f' in pattern"sv},
      {R"(gsub('a','a','%2'))", "invalid capture index"sv},
      {R"(gsub('a','a',true))", "bad argument #3 to 'gsub' (string/function/table expected)"sv},
      {R"(gsub('a','a',function() return {} end))", "invalid replacement value (a table)"sv},
      {R"(gsub('a','a',{a={}}))", "invalid replacement value (a table)"sv},
      {R"(match('a',('()'):rep(33)))", "too many captures"sv},
      {R"(find('abc','b',{}))", "bad argument #3 to 'find' (number expected, got table)"sv},
      {R"(gsub('a'))", "bad argument #2 to 'gsub' (string expected, got no value)"sv},
      {R"(find())", "bad argument #1 to 'find' (string expected, got no value)"sv},
      {R"(gsub('a','(','x'))", "xax|2"sv},
      {R"(match('a','a)'))", "invalid pattern capture"sv},
      {R"(find('a\0b','\0b'))", "2|3"sv},
      {R"(find('a\0b','b\0',1,true))", ""sv},
      {R"(gsub('a\0b','\0','x'))", "xax\000xbx|4"sv},
      {R"(gsub('a\0b','%z','x'))", "axb|1"sv},
      {R"(find('ab','[\0a]'))", "malformed pattern (missing ']')"sv},
      {R"(find('a%b','%%'))", "2|2"sv},
      {R"(match('abc123','%a+%d+$'))", "abc123"sv},
      {R"(match('x=1;y=2','y=(%d)'))", "2"sv},
      {R"(find('aaa','a-',2))", "2|1"sv},
      {R"(find('aaa','a-$',2))", "2|3"sv},
      {R"(match('[[x]]','%[%[(.-)%]%]'))", "x"sv},
      {R"(find('abc','[a-c-z]+'))", "1|3"sv},
      {R"(find('a-z','[%a-z]+'))", "1|3"sv},
      {R"(find('b','[a%-c]'))", ""sv},
      {R"(match('€uro','[%z\1-\127\194-\244][\128-\191]*'))", "\342\202\254"sv},
  };
  // clang-format on
  for (const PatternCase& one : kCases) {
    EXPECT_EQ(Run(std::string("local r={pcall(function() return string.") + one.call +
                  " end)} for i=2,table.maxn(r) do r[i]=tostring(r[i]) end "
                  "return table.concat(r,'|',2)..';'"),
              std::string(one.results) + ";")
        << one.call;
  }
}

TEST_F(PatternFunctions, WalkOverMatchesAsLuasDo) {
  // clang-format off
  static constexpr PatternCase kCases[] = {
      {R"(for a,b in ('k1=v1, k2=v2'):gmatch('(%w+)=(%w+)') do t[#t+1]=a..b end)", "k1v1|k2v2"sv},
      {R"(for w in ('one two  three'):gmatch('%a+') do t[#t+1]=w end)", "one|two|three"sv},
      {R"(for w in ('abc'):gmatch('') do t[#t+1]='['..w..']' end)", "[]|[]|[]|[]"sv},
      {R"(for p in ('abc'):gmatch('()') do t[#t+1]=p end)", "1|2|3|4"sv},
      {R"(for w in ('^a^b'):gmatch('^a') do t[#t+1]=w end)", "^a"sv},
      {R"(for w in ('a,b,,c'):gmatch('([^,]*)') do t[#t+1]=w end)", "a||b|||c|"sv},
  };
  // clang-format on
  for (const PatternCase& one : kCases) {
    EXPECT_EQ(Run(std::string("local t={} ") + one.call + " return table.concat(t,'|')"),
              one.results)
        << one.call;
  }
}

TEST_F(PatternFunctions, BoundTheirDepth) {
  EXPECT_EQ(Run("return select(2,pcall(string.find,('a'):rep(1e5),('a?'):rep(1e5)))"),
            "pattern too complex");
  EXPECT_EQ(Run("return (string.find('a',('a?'):rep(1e5)))"), ":1");
  EXPECT_EQ(Run("return (string.find(('a'):rep(100),('a?'):rep(2000)))"), ":1");
}

// Ends the script at the third call of Breathe().
class TiredHost final : public ScriptHost {
 public:
  Reply Call(std::span<const Bytes>, ProtocolVersion, ScriptRun&) override { return Reply::Null(); }
  std::optional<bool> MayCall(std::span<const Bytes>) override { return true; }
  void Breathe(ScriptRun& run) override {
    if (++breaths_ == 3) run.Abort("ERR enough");
  }
  void Log(LogLevel, Bytes) override {}

 private:
  int breaths_ = 0;
};

TEST_F(PatternFunctions, CanBeStoppedInTheMiddleOfAMatch) {
  for (const char* const script : {"return string.find(('a'):rep(5000),'.-.-.-.-.-.-.-b')",
                                   "return string.match(('a'):rep(5000),'.*.*.*.*.*.*.*b')",
                                   "return string.gsub(('('):rep(1e6),'%b()','')",
                                   "for _ in string.gmatch(('a'):rep(5000),'a-a-a-a-a-a-b') do end",
                                   "return string.find(('a'):rep(1e6),('a'):rep(5e5)..'b[x]')"}) {
    TiredHost host;
    const std::string wire = WireOfScript(engine_, host, script);
    EXPECT_TRUE(wire.starts_with("-ERR enough")) << script << " " << wire;
  }
}

}  // namespace
}  // namespace mayfly::server
