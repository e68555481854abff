/**
 * Converts a name to a part of a file's name.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(slug("draw() fills the top, too"), "draw-fills-the-top-too");
 * ```
 */
export function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "test";
}
