import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isAsGood, limitTypeOf } from "../../../../loader/requirements/profiles/struct_demands.ts";

const WAYS = [["max"], ["min"], ["bitmask"], ["max", "pot"], ["min", "pot"], ["min", "mul"], ["bits"], []];
const number = fc.integer({ min: 1, max: 1 << 20 });

Deno.test("isAsGood() takes every value for as good as itself, as number and as bigint", () => {
  fc.assert(fc.property(number, fc.constantFrom(...WAYS), (value, how) => {
    const power = how.includes("pot") ? 2 ** (value % 20) : value;
    assert(isAsGood(power, power, how));
    assert(isAsGood(BigInt(power), power, how));
  }));
});

Deno.test("isAsGood() orders by what is better, and nothing is better both ways", () => {
  fc.assert(fc.property(number, number, (one, other) => {
    assertEquals(isAsGood(one, other, ["max"]), one >= other);
    assertEquals(isAsGood(one, other, ["bits"]), one >= other);
    assertEquals(isAsGood(one, other, ["min"]), one <= other);
    assertEquals(isAsGood(one, other, ["bitmask"]), (one & other) === other);
    assertEquals(isAsGood(one, other, []), one === other);
    assertEquals(isAsGood(one, other, ["min", "mul"]), one <= other && other % one === 0);
    assertEquals(isAsGood([one, other], [2, 500], ["range"]), one <= 2 && other >= 500);
  }));
});

Deno.test("isAsGood() compares floats, arrays and truths", () => {
  assert(isAsGood(Math.fround(0.1), 0.1, []));
  assert(isAsGood(0.125, 0.5, ["min", "mul"]) && !isAsGood(0.3, 0.5, ["min", "mul"]));
  assert(isAsGood(0, 1, ["min", "mul"]));
  assert(!isAsGood(1048558, 1048559, ["min", "mul"])); // whole numbers are compared exactly
  assert(isAsGood([4, 5, 6], [4, 5], ["max"]) && !isAsGood([4], [4, 5], ["max"]) && !isAsGood(4, [4], ["max"]));
  assert(isAsGood(new Uint8Array([1, 2]), [1, 2], []));
  assert(isAsGood(true, false, ["true"]) && !isAsGood(false, true, ["true"]) && !isAsGood(true, false, []));
  assert(isAsGood("Mesa", "Mesa", []) && !isAsGood("Mesa", "other", []));
  assert(!isAsGood(undefined, 1, ["max"]) && !isAsGood(3, 1, ["max", "pot"]) && isAsGood(4, 1, ["max", "pot"]));
});

Deno.test("limitTypeOf() knows how the registry compares", () => {
  assertEquals(limitTypeOf("VkPhysicalDeviceLimits", "maxImageDimension2D"), ["max"]);
  assertEquals(limitTypeOf("VkPhysicalDeviceLimits", "bufferImageGranularity"), ["min", "mul"]);
  assertEquals(limitTypeOf("VkPhysicalDeviceLimits", "viewportBoundsRange"), ["range"]);
  assertEquals(limitTypeOf("VkPhysicalDeviceLimits", "framebufferColorSampleCounts"), ["bitmask"]);
  assertEquals(limitTypeOf("VkPhysicalDeviceDriverProperties", "driverID"), []);
  assertEquals(limitTypeOf("VkNothing", "at all"), []);
});
