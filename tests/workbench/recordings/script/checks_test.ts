import { assertEquals } from "@std/assert";
import type { PieceDifference } from "../../../../workbench/recordings/compare/finding.ts";
import { differenceIn } from "../../../../workbench/recordings/script/checks.ts";

const UNORM = 37, SRGB = 43;

/** A difference in an image of so many samples, or in a buffer. */
function differing(resource: string, samples?: number, format = UNORM): PieceDifference {
  const image = samples &&
    { level: 0, aspect: "color", format, layers: [0], samples, width: 1, height: 1, depth: 1 };
  return { piece: { name: resource, resource, image } } as unknown as PieceDifference;
}

Deno.test("a script shows the first difference that a copy can read", () => {
  const [several, one, buffer] = [differing("VkImage#1", 4), differing("VkImage#2", 1), differing("VkBuffer#1")];
  assertEquals(differenceIn([several, one, buffer]).piece.resource, "VkImage#2");
  assertEquals(differenceIn([several, buffer]).piece.resource, "VkBuffer#1");
});

Deno.test("a script shows a difference in several samples where only such images differ", () => {
  const [coded, plain] = [differing("VkImage#1", 4, SRGB), differing("VkImage#2", 4)];
  assertEquals(differenceIn([coded, plain]).piece.resource, "VkImage#1");
});
