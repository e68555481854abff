import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { vkjsonDifferences } from "../../../loader/vkjson/differences.ts";

Deno.test("vkjsonDifferences() finds nothing between a report and itself in another order", () => {
  const extensions = ["a", "b", "c"].map((extensionName) => ({ extensionName, specVersion: 1 }));
  const formats = [[1, { bufferFeatures: 1 }], [2, { bufferFeatures: 3 }]];
  const one = { extensions, formats, shown: { extensions: ["x", "y"] }, _comment: "one" };
  const other = {
    shown: { extensions: ["y", "x"] },
    formats: formats.toReversed(),
    extensions: extensions.toReversed(),
  };
  assertEquals(vkjsonDifferences(one, other), []);
});

Deno.test("vkjsonDifferences() names formats, extensions, layers, configs and displays", () => {
  const one = {
    devices: [{ formats: [[9, { bufferFeatures: 1 }]], extensions: [{ extensionName: "VK_A", specVersion: 1 }] }],
    layers: [{ properties: { layerName: "L", specVersion: 1 } }],
    configs: [{ EGL_CONFIG_ID: 7, EGL_RED_SIZE: 8 }],
    displays: [{ id: "0x1", name: "Panel" }],
    shown: { extensions: ["EGL_A"] },
  };
  const other = {
    devices: [{ formats: [[9, { bufferFeatures: 0 }]], extensions: [{ extensionName: "VK_A", specVersion: 2 }] }],
    layers: [{ properties: { layerName: "L", specVersion: 2 } }],
    configs: [{ EGL_CONFIG_ID: 7, EGL_RED_SIZE: 5 }],
    displays: [{ id: "0x1", name: "Beamer" }],
    shown: { extensions: ["EGL_B"] },
  };
  assertEquals(vkjsonDifferences(one, other).map(({ path, one, other }) => [path, one, other]), [
    ["devices[0].formats[VK_FORMAT_R8_UNORM].bufferFeatures", 1, 0],
    ["devices[0].extensions[VK_A].specVersion", 1, 2],
    ["layers[L].properties.specVersion", 1, 2],
    ["configs[7].EGL_RED_SIZE", 8, 5],
    ["displays[0x1].name", "Panel", "Beamer"],
    ["shown.extensions[EGL_A]", true, undefined],
    ["shown.extensions[EGL_B]", undefined, true],
  ]);
});

Deno.test("vkjsonDifferences() compares lists of numbers as a whole, and says what only one has", () => {
  assertEquals(vkjsonDifferences({ uuid: [1, 2], a: 1 }, { uuid: [1, 3] }), [
    { path: "uuid", one: [1, 2], other: [1, 3] },
    { path: "a", one: 1, other: undefined },
  ]);
});

Deno.test("vkjsonDifferences() of a report and a changed copy are the changes, whichever comes first", () => {
  const report = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.integer()),
  );
  fc.assert(fc.property(report, report, (one, other) => {
    const there = vkjsonDifferences(one, other), back = vkjsonDifferences(other, one);
    const turned = back.map(({ path, one, other }) => ({ path, one: other, other: one }));
    const byPath = (list: typeof there) => list.toSorted((a, b) => a.path < b.path ? -1 : 1);
    assertEquals(byPath(there), byPath(turned));
    assertEquals(there.length === 0, JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
  }));
});

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, each]) => [key, sorted(each)]);
}
