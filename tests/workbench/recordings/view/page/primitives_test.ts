import { assert, assertEquals } from "@std/assert";
import { edgesOf, turned } from "../../../../../workbench/recordings/view/page/primitives.js";

const edges = (topology: number, count: number, ends: number[] = []) =>
  edgesOf(topology, count, new Set(ends)).map((pair: number[]) =>
    [...pair].sort((one, other) => one - other).join("-")
  );

Deno.test("edgesOf() has the edges of lists, strips and fans, and none of points and patches", () => {
  for (const topology of [0, 6, 9, 10, 99]) assertEquals(edges(topology, 9), [], `${topology}`);
  assertEquals(edges(1, 5), ["0-1", "2-3"]);
  assertEquals(edges(2, 4), ["0-1", "1-2", "2-3"]);
  assertEquals(edges(3, 7), ["0-1", "1-2", "0-2", "3-4", "4-5", "3-5"]);
  assertEquals(new Set(edges(4, 4)), new Set(["0-1", "1-2", "0-2", "2-3", "1-3"]));
  assertEquals(new Set(edges(5, 4)), new Set(["0-1", "1-2", "0-2", "2-3", "0-3"]));
});

Deno.test("edgesOf() begins a strip anew behind an index that ends it, and draws no more than it may", () => {
  assertEquals(edges(2, 5, [2]), ["0-1", "3-4"]);
  assertEquals(new Set(edges(4, 7, [3])), new Set(["0-1", "1-2", "0-2", "4-5", "5-6", "4-6"]));
  const many = edgesOf(3, 1_000_000, new Set(), 100);
  assert(many.length >= 100 && many.length < 106, `${many.length}`);
});

Deno.test("turned() fits points into a square from any side, and leaves out those that are no numbers", () => {
  const points = [[10, 0, 0], [-10, 0, 0], [0, 5, 2], [NaN, 0, 0], undefined, [0, Infinity, 0]];
  for (const [yaw, pitch] of [[0, 0], [0.7, -0.4], [3, 1.5]]) {
    const found = turned(points, yaw, pitch) as (number[] | undefined)[];
    assertEquals(found.map((each) => each !== undefined), [true, true, true, false, false, false]);
    for (const each of found) assert(!each || each.every((value) => Math.abs(value) <= 1.0001), String(each));
    const apart = Math.hypot(...found[0]!.map((value, axis) => value - found[1]![axis]));
    const whole = Math.hypot(20, 5, 2) / 2;
    assert(Math.abs(apart - 20 / whole) < 1e-6, "a turn keeps distances");
  }
  const [front] = turned([[1, 2, 3], [3, 6, 5]], 0, 0) as number[][];
  assert(front[0] < 0 && front[1] < 0, "from the front, x is to the right and y is up");
  assertEquals(turned([[1, 1, 1]], 0, 0), [[0, 0, 0]]);
});
