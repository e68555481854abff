/**
 * Android's cases on vkms, but for those that vkms cannot do. They take long in
 * the virtual machine: `deno task test:vm tests/hwc/kms/cases` runs them.
 */
import { assertEquals } from "@std/assert";
import { SUITES } from "../../suite/all_suites.ts";
import { runCases } from "../../suite/run.ts";
import { kmsSubject } from "../kms_subject.ts";
import { ON_CARDS } from "../on_cards/on_vkms.ts";
import { NOT_ON_VKMS } from "./not_on_vkms.ts";

const all = Object.entries(SUITES).flatMap(([suite, cases]) => Object.keys(cases).map((name) => `${suite}.${name}`));
const left = new Set(Object.values(NOT_ON_VKMS).flat());

Deno.test("every case that vkms cannot do is a case, and named once", () => {
  assertEquals([...left].filter((name) => !all.includes(name)), []);
  assertEquals([all.length, left.size, Object.values(NOT_ON_VKMS).flat().length], [441, 101, 101]);
});

for (const [suite, cases] of Object.entries(SUITES)) {
  const done = Object.fromEntries(Object.entries(cases).filter(([name]) => !left.has(`${suite}.${name}`)));
  runCases("vkms", suite, done, kmsSubject({ driver: "vkms" }), ON_CARDS.ignore);
}
