// Goal: the geospatial commands reply as Redis does, and are sorted sets in every other way.
// Method: replies on plain maps. Random searches are compared with redis-server in tests/redis.
#include "commands/conversation.h"

namespace mayfly::server {
namespace {

class Geo : public testing::Test {
 protected:
  Geo() {
    EXPECT_EQ(tester_.Text("GEOADD s 13.361389 38.115556 Palermo 15.087269 37.502669 Catania"),
              "2");
  }

  CommandTester tester_{
      {GeoFamily(), SortedSetFamily(), StringFamily(), KeyFamily(), ExpiryFamily()}};
};

constexpr char kBadUnit[] = "ERR unsupported unit provided. please use M, KM, FT, MI";

TEST_F(Geo, PointsAreScores) {
  Converse(
      tester_,
      {{"ZRANGE s 0 -1 WITHSCORES", "[Palermo, 3479099956230698, Catania, 3479447370796909]"},
       {"TYPE s", "zset"},
       {"GEOHASH s Palermo Catania none", "[sqc8b49rny0, sqdtr74hyu0, (nil)]"},
       {"GEOPOS s Palermo none", "[[13.36138933897018433, 38.11555639549629859], (nil array)]"},
       {"GEOHASH none a", "[(nil)]"},
       {"GEOPOS none a", "[(nil array)]"},
       {"GEOPOS s", "[]"}});
  EXPECT_TRUE(InResp3(tester_, "GEOPOS s Palermo").starts_with("*1 *2 ,13.36138933897018"));
}

TEST_F(Geo, AddFollowsItsOptions) {
  Converse(tester_,
           {{"GEOADD s 1 1 Palermo", "0"},
            {"GEOADD s CH 2 2 Palermo 3 3 new", "2"},
            {"GEOADD s NX 9 9 Palermo", "0"},
            {"GEOADD s XX CH 9 9 Palermo", "1"},
            {"GEOADD s XX 9 9 another", "0"},
            {"ZCARD s", "3"},
            {"GEOADD s 200 100 x", "ERR invalid longitude,latitude pair 200.000000,100.000000"}});
  Refuse(tester_, kSyntaxError,
         {"GEOADD s NX XX 1 1 a", "GEOADD s 1 1 a 2", "GEOADD s CH NX CH", "GEOADD s GT 1 1 a"});
  Refuse(tester_, kNotAFloat, {"GEOADD s x 1 a", "GEOADD s 1 nan a", "GEOADD s 1 1 a x y b"});
  EXPECT_EQ(tester_.Text("ZCARD s"), "3");
  tester_.Text("GEOADD new 1 1 a");
  EXPECT_EQ(tester_.notifications(), (Notes{"n new 0 new", "z zadd 0 new"}));
}

TEST_F(Geo, AKeyKeepsItsDeadline) {
  EXPECT_EQ(tester_.Text("PEXPIRE s 1000"), "1");
  EXPECT_EQ(tester_.Text("GEOADD s 1 1 a"), "1");
  EXPECT_EQ(tester_.Text("PTTL s"), "1000");
  tester_.clock().Advance(Millis(999));
  EXPECT_EQ(tester_.Text("GEORADIUS s 15 37 200 km"), "[Palermo, Catania]");
  tester_.clock().Advance(Millis(1));
  EXPECT_EQ(tester_.Text("GEORADIUS s 15 37 200 km"), "[]");
  EXPECT_EQ(tester_.Text("GEODIST s Palermo Catania"), "(nil)");
}

TEST_F(Geo, Distances) {
  Converse(tester_, {{"GEODIST s Palermo Catania", "166274.1516"},
                     {"GEODIST s Palermo Catania km", "166.2742"},
                     {"GEODIST s Palermo Catania MI", "103.3182"},
                     {"GEODIST s Palermo Catania ft", "545518.8700"},
                     {"GEODIST s Palermo Palermo", "0.0000"},
                     {"GEODIST s Palermo none", "(nil)"},
                     {"GEODIST none a b", "(nil)"},
                     {"GEODIST s a b x", kBadUnit},
                     {"GEODIST s a b m x", kSyntaxError}});
}

TEST_F(Geo, SearchesCirclesAndBoxes) {
  Converse(
      tester_,
      {{"GEOADD s 12.758489 38.788135 edge1 17.241510 38.788135 edge2", "2"},
       {"GEORADIUS s 15 37 200 km ASC", "[Catania, Palermo]"},
       {"GEORADIUS s 15 37 200 km WITHDIST DESC", "[[Palermo, 190.4424], [Catania, 56.4413]]"},
       {"GEOSEARCH s FROMLONLAT 15 37 BYBOX 400 400 km ASC WITHDIST",
        "[[Catania, 56.4413], [Palermo, 190.4424], [edge2, 279.7403], [edge1, 279.7405]]"},
       {"GEOSEARCH s FROMMEMBER Palermo BYRADIUS 0 m WITHHASH", "[[Palermo, 3479099956230698]]"},
       {"GEORADIUSBYMEMBER s Palermo 0 m WITHCOORD",
        "[[Palermo, [13.36138933897018433, 38.11555639549629859]]]"},
       {"GEORADIUSBYMEMBER_RO s Palermo 200 km COUNT 1", "[Palermo]"},
       {"GEORADIUS_RO s 15 37 200 km COUNT 1 DESC", "[Palermo]"},
       {"GEOSEARCH s FROMLONLAT 15 37 BYRADIUS 1000 km COUNT 1 ANY", "[Palermo]"},
       {"GEOSEARCH none FROMMEMBER a BYRADIUS 1 km", "[]"},
       {"GEORADIUSBYMEMBER none a x y", "[]"}});
}

TEST_F(Geo, StoresWhatItFinds) {
  Converse(tester_,
           {{"GEOSEARCHSTORE d s FROMLONLAT 15 37 BYRADIUS 200 km", "2"},
            {"ZRANGE d 0 -1 WITHSCORES", "[Palermo, 3479099956230698, Catania, 3479447370796909]"},
            {"GEOSEARCHSTORE d s FROMLONLAT 15 37 BYRADIUS 200 km STOREDIST", "2"},
            {"ZRANGE d 0 -1", "[Catania, Palermo]"},
            {"GEORADIUS s 15 37 200 km COUNT 1 STORE d", "1"},
            {"ZRANGE d 0 -1", "[Catania]"},
            {"GEORADIUSBYMEMBER s Palermo 200 km STOREDIST d", "2"},
            {"ZSCORE d Palermo", "0"},
            {"GEORADIUS s 15 37 200 km STORE x STOREDIST d", "2"},
            {"EXISTS x", "0"},
            {"GEORADIUS s -50 -50 1 m STORE d", "0"},
            {"EXISTS d", "0"}});
  tester_.Text("GEOSEARCHSTORE d s FROMLONLAT 15 37 BYRADIUS 200 km");
  EXPECT_EQ(tester_.notifications(), (Notes{"n new 0 d", "z geosearchstore 0 d"}));
  tester_.Text("GEORADIUS none 15 37 200 km STORE d");
  EXPECT_EQ(tester_.notifications(), (Notes{"m keymiss 0 none", "g del 0 d"}));
}

TEST_F(Geo, ArgumentsAreCheckedInRedisOrder) {
  Refuse(tester_, kSyntaxError,
         {"GEORADIUS_RO s 1 1 1 m STORE d", "GEORADIUS s 1 1 1 m STORE",
          "GEORADIUS s 1 1 1 m COUNT", "GEOSEARCH s FROMLONLAT 1 1 FROMMEMBER a BYRADIUS 1 m",
          "GEOSEARCH s FROMLONLAT 1 1 BYRADIUS 1 m BYBOX 1 1 m",
          "GEOSEARCH s FROMLONLAT 1 1 BYRADIUS 1 m STOREDIST",
          "GEOSEARCHSTORE d s FROMLONLAT 1 1 BYRADIUS 1 m STORE d"});
  Converse(tester_,
           {{"GEORADIUS s 1 1 x m", "ERR need numeric radius"},
            {"GEORADIUS s 1 1 -1 m", "ERR radius cannot be negative"},
            {"GEORADIUS s 1 1 1 mm", kBadUnit},
            {"GEOSEARCH s FROMLONLAT 1 1 BYBOX -1 x m", "ERR need numeric height"},
            {"GEOSEARCH s FROMLONLAT 1 1 BYBOX x 1 m", "ERR need numeric width"},
            {"GEOSEARCH s FROMLONLAT 1 1 BYBOX -1 1 m", "ERR height or width cannot be negative"},
            {"GEORADIUS s 1 1 1 m COUNT 0", "ERR COUNT must be > 0"},
            {"GEORADIUS s 1 1 1 m ANY", "ERR the ANY argument requires COUNT argument"},
            {"GEORADIUSBYMEMBER s none 1 m", "ERR could not decode requested zset member"},
            {"GEOSEARCH s BYRADIUS 1 m ASC ASC",
             "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GEOSEARCH"},
            {"geosearch s FROMLONLAT 1 1 ASC ASC ASC",
             "ERR exactly one of BYRADIUS and BYBOX can be specified for geosearch"},
            {"GEORADIUS s 1 1 1 m STORE d WITHDIST",
             "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and "
             "WITHCOORD options"},
            {"GEOSEARCHSTORE d s FROMLONLAT 1 1 BYRADIUS 1 m WITHHASH",
             "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options"},
            {"SET text x", "OK"}});
  Refuse(tester_, kWrongType,
         {"GEOADD text 1 1 a", "GEODIST text a b", "GEOHASH text a", "GEOPOS text a",
          "GEORADIUS text 1 1 1 m", "GEOSEARCH text FROMLONLAT 1 1 BYRADIUS 1 m"});
}

TEST_F(Geo, ALimitedSearchEndsEarlyAndIsTheSame) {
  for (int i = 0; i < 1000; ++i) {
    tester_.Text("GEOADD many " + std::to_string(i % 100 / 1000.0) + " " +
                 std::to_string(i / 100000.0) + " p" + std::to_string(i));
  }
  const auto all = TextsOf(tester_, "GEOSEARCH many FROMLONLAT 0 0 BYRADIUS 50 km");
  EXPECT_GT(all.size(), 900u);
  for (const std::size_t count : {1u, 255u, 256u, 257u, 700u}) {
    const auto some = TextsOf(tester_, "GEOSEARCH many FROMLONLAT 0 0 BYRADIUS 50 km COUNT " +
                                           std::to_string(count) + " ANY");
    EXPECT_EQ(some, std::vector<std::string>(all.begin(), all.begin() + static_cast<long>(count)));
  }
}

TEST_F(Geo, AnySortedSetCanBeAskedForPlaces) {
  Converse(tester_,
           {{"ZADD z -1 neg 1e300 huge inf i -inf ni 1.5 half", "5"},
            {"GEOHASH z neg i ni half", "[bp05b5048p0, 00bh0hbj200, 00bh0hbj200, 00bh0hbj210]"}});
  EXPECT_NE(tester_.Text("GEORADIUS z 0 0 50000 km WITHHASH WITHDIST"), "");
}

}  // namespace
}  // namespace mayfly::server
