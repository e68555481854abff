import { assert, assertEquals } from "@std/assert";
import { LEFT_OUT } from "./left_out.ts";
import { SUITES } from "./suite/all_suites.ts";
import { ORIGINALS } from "./suite/originals.ts";

const originals = Object.entries(ORIGINALS).flatMap(([suite, names]) => names.map((name) => `${suite}.${name}`));
const ported = Object.entries(SUITES).flatMap(([suite, cases]) => Object.keys(cases).map((name) => `${suite}.${name}`));

Deno.test("the suites of Android have 457 cases", () => {
  const counts = Object.entries(ORIGINALS).map(([suite, names]) => [suite, new Set(names).size]);
  assertEquals(Object.fromEntries(counts), {
    Hwc2Test: 164,
    "HIDL 2.1": 54,
    "HIDL 2.2": 25,
    "HIDL 2.2 readback": 15,
    "HIDL 2.3": 23,
    "HIDL 2.4": 24,
    AIDL: 72,
    "AIDL V2": 1,
    "AIDL V3": 2,
    "AIDL command": 41,
    "AIDL command V2": 6,
    "AIDL command V3": 8,
    "AIDL readback": 22,
  });
  assertEquals(originals.length, 457);
});

Deno.test("every case of the original suites is ported or left out with a reason", () => {
  const known = new Set([...ported, ...Object.keys(LEFT_OUT)]);
  assertEquals(originals.filter((name) => !known.has(name)), [], "neither ported nor left out");
  assertEquals([...known].filter((name) => !originals.includes(name)), [], "in no original suite");
  assertEquals(ported.filter((name) => name in LEFT_OUT), [], "both");
  assert(Object.values(LEFT_OUT).every((reason) => reason.length > 20));
});
