import { assert, assertEquals, assertMatch } from "@std/assert";
import { needs } from "../support/require.ts";
import { runProgram, runTests } from "../support/subprocess.ts";
import { TEST_PRELOAD } from "../../tools/test/preload.ts";
import { ADAPTED } from "./adaptor/drawing.ts";
import { foreignHal, REVISIONS } from "./foreign_hal.ts";

const parts = ADAPTED.every(([name]) => foreignHal(name));
const NEEDS = needs("both software drivers, C compiler and Vulkan headers", parts);
/** No case takes as many seconds; what waits for ever does. */
const SECONDS = 60;
// deno-lint-ignore no-explicit-any -- what the program prints
type Line = any;

/** The lines of a case, in a process of its own: its last line is told when it ends by a signal or never. */
function linesOf(name: string): Line[] {
  const { code, stdout, output } = runProgram("tests/wsi/programs/foreign_hal.ts", [name], { seconds: SECONDS });
  assertEquals(code, 0, output);
  return stdout.trim().split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

Deno.test("a swapchain draws on a driver's own native buffers of every revision, installed or not", NEEDS, () => {
  const lines = linesOf("revisions");
  assertEquals(lines.length, ADAPTED.length * REVISIONS.length * 2);
  for (const { frames, wrong, seen, ...which } of lines) {
    assertEquals({ frames, wrong, seen }, { frames: 4, wrong: 0, seen: ["acquire -1"] }, JSON.stringify(which));
  }
});

Deno.test("a HAL gets no instance extension for windows, and none that nobody enabled", NEEDS, () => {
  const lines = linesOf("extensions");
  assertEquals(lines.length, 4);
  for (const { seen, ...which } of lines) assertEquals(seen, [], JSON.stringify(which));
});

Deno.test("a driver with native buffers of its own gets no fence that is no sync_file", NEEDS, () => {
  const [drawn, late] = linesOf("eventfds");
  assertEquals([drawn.frames, drawn.wrong, drawn.seen], [6, 0, ["acquire -1"]]);
  assertEquals([late.last, late.after, late.seen], [2, 0, ["acquire -1"]]);
});

Deno.test("a driver's private usage bits name no other driver's layout", NEEDS, () => {
  const [{ adapted, foreign }] = linesOf("together");
  assertEquals([adapted.wrong, foreign.wrong], [0, 0]);
  assertEquals([adapted.rowPitch, foreign.rowPitch], [248, 256]);
});

Deno.test(
  "a driver that works in blocks of rows finds memory behind the last one, whatever its usage bits",
  NEEDS,
  () => {
    const lines = linesOf("blocks");
    assertEquals(lines.length, 10);
    for (const { frames, wrong, ...which } of lines) assertEquals([frames, wrong], [1, 0], JSON.stringify(which));
  },
);

Deno.test("an application and the composer that shows it share a thread", NEEDS, () => {
  const lines = linesOf("flips");
  assertEquals(lines.length, ADAPTED.length + 1);
  for (const { driver, shown } of lines) assert(shown, driver);
});

Deno.test(
  "the tests of surfaces and of the adaptor ask a driver with native buffers of its own what it does",
  NEEDS,
  () => {
    const files = ["swapchain/surface_test.ts", "swapchain/display_timing_test.ts", "adaptor/below_native_test.ts"];
    const env = { PUMICE_LAVAPIPE: foreignHal()!, PUMICE_REQUIRE_ALL: "0" };
    const { code, output } = runTests([TEST_PRELOAD, ...files.map((file) => `tests/wsi/${file}`)], {
      env,
      seconds: 200,
    });
    assertEquals(code, 0, output.slice(-4000));
    assertMatch(output, /VK_GOOGLE_surfaceless_query answers .* \(lavapipe\) \.\.\. ok/);
  },
);
