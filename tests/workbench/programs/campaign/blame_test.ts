import { assertEquals } from "@std/assert";
import { blameOf } from "../../../../workbench/programs/campaign/findings.ts";
import type { DriverDifference } from "../../../../workbench/recordings/compare/finding.ts";

const ROWS: readonly (readonly [kind: DriverDifference["kind"], reason: string, blame: string | undefined])[] = [
  ["differs", "", undefined],
  ["crashed", "signal SIGSEGV", "driver"],
  ["crashed", "signal SIGABRT; libvulkan_x.so: assertion failed", "driver"],
  ["timed out", "no answer in 20000 ms", "driver"],
  ["failed", "vkCreateImage failed with VK_ERROR_OUT_OF_DEVICE_MEMORY", "driver"],
  ["failed", "Cannot use 4 as pColor", "pumice"],
  ["crashed", "signal SIGTRAP; Deno has panicked. This is a bug in Deno.", "pumice"],
  ["crashed", "signal SIGTRAP; # Fatal JavaScript out of memory: Reached heap limit", "pumice"],
  ["crashed", "exit code 1; error: Uncaught (in promise) TypeError: x is undefined", "pumice"],
];

for (const [kind, reason, blame] of ROWS) {
  Deno.test(`blameOf() ${kind}, ${reason || "without a reason"}: ${blame ?? "nobody"}`, () => {
    assertEquals(blameOf({ kind, reason }), blame);
  });
}
