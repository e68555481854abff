import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { decodeDeqpLevel, encodeDeqpLevel, leastDeqpLevel } from "../../../loader/requirements/deqp_level.ts";

Deno.test("encodeDeqpLevel() packs year, month and day, and decodeDeqpLevel() has them back", () => {
  const dates = fc.date({ min: new Date("2000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(fc.property(dates, dates, (one, other) => {
    const [text, later] = [one, other].map((date) => date.toISOString().slice(0, 10));
    const level = encodeDeqpLevel(text);
    assertEquals([decodeDeqpLevel(level), encodeDeqpLevel(level)], [text, level]);
    assertEquals(level < encodeDeqpLevel(later), text < later);
  }));
});

Deno.test("encodeDeqpLevel() knows the numbers that Android's files have", () => {
  const known = { "2019-03-01": 132317953, "2020-03-01": 132383489, "2021-03-01": 132449025, "2022-03-01": 132514561 };
  for (const [date, level] of Object.entries(known)) assertEquals(encodeDeqpLevel(date), level);
});

Deno.test("a dEQP level that is no date is refused", () => {
  for (const wrong of ["2022", "2022-13-01", "2022-02-30", "22-03-01", "", 0, 0x07e60001, 0x07e60d01, 1.5, NaN, -1]) {
    const error = assertThrows(() => encodeDeqpLevel(wrong), TypeError);
    assert(error.message.includes("Cannot read dEQP level"), error.message);
  }
});

Deno.test("leastDeqpLevel() is the spring of the year before a release", () => {
  assertEquals([7, 9].map(leastDeqpLevel), [undefined, undefined]);
  assertEquals([10, 11, 13, 16].map((release) => decodeDeqpLevel(leastDeqpLevel(release)!)), [
    "2019-03-01",
    "2020-03-01",
    "2022-03-01",
    "2025-03-01",
  ]);
});
