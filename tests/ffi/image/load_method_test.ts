import { assertEquals, assertThrows } from "@std/assert";
import { configureImage, type LoadMethod } from "../../../ffi/image/load.ts";
import { NEEDS_FIXTURE } from "../fixture.ts";

/** The report of a fresh isolate that does everything by one load method. */
function by(loadMethod: LoadMethod): Promise<{ results: unknown[]; said: string[]; rings: string }> {
  const worker = new Worker(new URL("./load_method_worker.ts", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onerror = reject;
    worker.onmessage = ({ data }) => {
      resolve(data);
      worker.terminate();
    };
    worker.postMessage(loadMethod);
  });
}

/** The answer of the fixture's `name_hash` for handle 1. */
function hash(name: string): bigint {
  return [...name].reduce((sum, letter) => BigInt.asUintN(64, sum * 31n + BigInt(letter.charCodeAt(0))), 1n);
}

const EXPECTED = [
  [140n, 36, 35070n, 35070n, -5],
  [
    [1, 0x7701, 0x0002_7701, 0x0000_0003_0002_7701n],
    ["grüße", "gr", ""],
    [hash("first"), hash("second"), 0n],
    0x0000_0003_0002_7701n,
  ],
  [[6, -3, 1234567900n], [-3, 5], ["fault"]],
  [[5n, 6n, hash("other")], hash("known")],
  [[false, false, false, true], 5, [true, true, false, true], 0, [true, true, true, true]],
];

for (const loadMethod of ["memfd", "file", "android", "pointer"] as const) {
  Deno.test(`everything works by the load method "${loadMethod}"`, NEEDS_FIXTURE, async () => {
    const { results, rings } = await by(loadMethod);
    assertEquals(results, EXPECTED);
    assertEquals(rings, loadMethod === "pointer" ? "unsupported" : "work");
  });
}

Deno.test("configureImage() throws when the image is loaded already", () => {
  assertThrows(() => configureImage({ loadMethod: "file" }), TypeError, "loaded already");
});
