import { assertEquals, assertThrows } from "@std/assert";
import type { PieceDifference } from "../../../compare/finding.ts";
import { differenceIn } from "../../../compare/script/checks.ts";
import { Unscriptable } from "../../../compare/script/unscriptable.ts";

/** A difference in an image of so many samples, or in a buffer. */
function differing(resource: string, samples?: number): PieceDifference {
  const image = samples &&
    { level: 0, aspect: "color", format: 37, layers: [0], samples, width: 1, height: 1, depth: 1 };
  return { piece: { name: resource, resource, image } } as unknown as PieceDifference;
}

Deno.test("a script shows the first difference that a copy can read", () => {
  const [several, one, buffer] = [differing("VkImage#1", 4), differing("VkImage#2", 1), differing("VkBuffer#1")];
  assertEquals(differenceIn([several, one, buffer]).piece.resource, "VkImage#2");
  assertEquals(differenceIn([several, buffer]).piece.resource, "VkBuffer#1");
});

Deno.test("a script says why it cannot show a difference in an image of several samples alone", () => {
  assertThrows(() => differenceIn([differing("VkImage#1", 4)]), Unscriptable, "several samples");
});
