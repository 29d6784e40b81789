#include "io/run/json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

using namespace ergode::io;

TEST_CASE("JSON strings escape quotes, control characters and bytes that are not UTF-8") {
  CHECK(json_quote("a\"b\\c\nd\te") == R"("a\"b\\c\nd\te")");
  CHECK(json_quote(std::string("\x01\x7f", 2)) == R"("\u0001\u007f")");
  CHECK(json_quote("caf\xc3\xa9 \xf0\x9f\x8c\x8d") == "\"caf\xc3\xa9 \xf0\x9f\x8c\x8d\"");
  CHECK(json_quote("\xe9") == R"("\ufffd")");                      // Latin-1
  CHECK(json_quote("\xc0\xaf") == R"("\ufffd\ufffd")");            // overlong
  CHECK(json_quote("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");  // a surrogate
}

TEST_CASE("JSON numbers read back exactly and NaN becomes null") {
  CHECK(json_number(0.1) == "0.1");
  CHECK(json_number(1e300) == "1e+300");
  CHECK(json_number(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(json_number(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("a JSON object is written in the order of its members, one a line") {
  JsonObject inner, object;
  inner.set("value", 1.5);
  object.set("z", "text").set("a", 3).set("yes", true).set("inner", inner).set("empty", JsonObject());
  object.set("list", std::vector<JsonObject>{inner, inner}).set("none", std::vector<JsonObject>{});
  CHECK(object.text() ==
        "{\n  \"z\": \"text\",\n  \"a\": 3,\n  \"yes\": true,\n  \"inner\": {\n    \"value\": 1.5\n  },\n  \"empty\": "
        "{},\n"
        "  \"list\": [\n    {\n      \"value\": 1.5\n    },\n    {\n      \"value\": 1.5\n    }\n  ],\n  \"none\": "
        "[]\n}");
}

TEST_CASE("a field of our own JSON reads back, and a text cut off at any byte gives no wrong one") {
  JsonObject object;
  object.set("host", "a \"b\"\\\n\x02z").set("pid", 4711);
  const std::string text = object.text();
  CHECK(json_field(text, "host") == "a \"b\"\\\n\x02z");
  CHECK(json_field(text, "pid") == "4711");
  CHECK_FALSE(json_field(text, "missing"));
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto host = json_field(text.substr(0, n), "host");
    CHECK((!host || *host == "a \"b\"\\\n\x02z"));
    const auto pid = json_field(text.substr(0, n), "pid");
    CHECK((!pid || *pid == "4711"));
  }
}
