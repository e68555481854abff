import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CheckReport } from "../../../workbench/check/report.ts";
import { commandLine } from "../../support/command_line.ts";
import { count } from "../../support/counts.ts";
import { needs } from "../../support/require.ts";
import { withEnvironmentAsync } from "../../support/temporary.ts";
import { foreignHal, type Habit } from "../../wsi/foreign_hal.ts";

const NEEDS = needs("both software drivers, C compiler and Vulkan headers", foreignHal() && foreignHal("SwiftShader"));
const ALL = "image formats swapchain-usage acquire acquire-closes acquire-waits release release-again bind rows";

/** Runs `check` on a module that behaves in some ways: the module is in a process of its own, which may end there. */
async function check(driver: string, habits: readonly Habit[], ...more: string[]) {
  const args = ["check", "--only=vulkan", `--driver=${driver}`, ...more];
  const { code, text, stdout } = await withEnvironmentAsync(
    { NATIVE_BUFFER_HAL: habits.join(" ") },
    () => commandLine(...args),
  );
  assertEquals(code, 1, text.slice(-2000)); // software drivers lack things
  return { text, stdout };
}

/** The verdicts of `check` on a module's native buffers: status and finding by the last part of the rule's name. */
async function checked(driver: string, habits: readonly Habit[]): Promise<Record<string, string>> {
  const seconds = habits.includes("never-acquires") ? 0.25 : 5; // what never comes is not to be waited for long
  const { stdout } = await check(driver, habits, "--json", `--timeout=${seconds}`);
  const { parts: [{ verdicts }] } = JSON.parse(stdout) as CheckReport, start = "vulkan.native-buffer.";
  assert(verdicts.some(({ rule }) => rule === "vulkan.entry-points.core"), "the rest is told as well");
  const own = verdicts.filter(({ rule }) => rule.startsWith(start));
  return Object.fromEntries(own.map(({ rule, status, found }) => [rule.slice(start.length), `${status}: ${found}`]));
}

/** The verdicts of it that are neither a pass nor what every such module is told. */
async function faults(driver: string, ...habits: Habit[]): Promise<Record<string, string>> {
  const all = Object.entries(await checked(driver, habits)).filter(([rule]) => ALL.split(" ").includes(rule));
  assertEquals(all.length, ALL.split(" ").length);
  return Object.fromEntries(all.filter(([, told]) => !told.startsWith("pass")));
}

/** The habits of a driver with a neighbour right behind its mapping, where no page that ends the process can be. */
const NEIGHBOURS = ["maps-file", "has-neighbours"] as const;
const SYNCHRONOUS = { "acquire-waits": "report: not tried: the driver itself waits, its fences are signalled" };

Deno.test("check finds no fault with a driver's own native buffers that are as they should be", NEEDS, async () => {
  assertEquals(await faults(foreignHal()!), SYNCHRONOUS);
  assertEquals(await faults(foreignHal("SwiftShader")!, "events", "late-fences"), {});
});

Deno.test(
  "check finds a driver that binds nothing, keeps files, reads or writes behind buffers or waits for nothing",
  NEEDS,
  async () => {
    const hal = foreignHal()!, WRONG = "2257 pixels were not in the buffer";
    assertEquals(await faults(hal, "ignores-binds"), { ...SYNCHRONOUS, bind: `fail: bound, and ${WRONG}` });
    assertEquals(await faults(hal, "keeps-files"), {
      ...SYNCHRONOUS,
      "acquire-closes":
        "fail: a file descriptor that was refused (vkAcquireImageANDROID failed: VK_ERROR_INVALID_EXTERNAL_HANDLE (-1000072003)) is still open",
    });
    const touching = [["touches-rows"], ["reads-rows"]] as const, mapping = [[], ["maps-file"], NEIGHBOURS] as const;
    // Writes and reads take turns with the mappings; no fault is noted that only all pairs of them found.
    const behind = mapping.flatMap((more, at) =>
      touching.filter((_, each) => (at + each) % count(2, 1) === 0).map((habits) => [...habits, ...more])
    );
    for (const habits of behind) {
      const { rows, ...others } = await faults(hal, ...habits);
      assertEquals(others, SYNCHRONOUS);
      // what is written up to the end of the last page is counted, and what lies behind it ends the process
      assert(
        /^report: (\d+ bytes behind the last row were written|memory behind the last row was read or written), which gralloc must have room for/
          .test(rows),
        rows,
      );
    }
    const { release, bind, rows } = await faults(hal, "draws-nothing"),
      skipped = "report: not tried, for vulkan.native-buffer.release failed";
    assertEquals([release, bind, rows], [`fail: ${WRONG}`, skipped, skipped]);
    assertEquals(await faults(foreignHal("SwiftShader")!, "events", "late-fences", "ignores-fences"), {
      "acquire-waits": "fail: it went on before the driver's own fence",
    });
  },
);

Deno.test("check comes back from a driver that never signals, and skips what would hang as well", NEEDS, async () => {
  const { acquire, ...others } = await faults(foreignHal()!, "never-acquires");
  assert(/^fail: .*(never signalled|did not come back)/.test(acquire), acquire);
  const skipped = "report: not tried, for vulkan.native-buffer.acquire failed";
  const names = ["acquire-waits", "release", "release-again", "bind", "rows"];
  assertEquals(names.map((name) => others[name]), names.map(() => skipped));
});

Deno.test("check tells which call a driver did not survive, and judges the rest", NEEDS, async () => {
  const told = await checked(foreignHal()!, ["dies-creating"]);
  const dead = "vkCreateDevice with VK_ANDROID_native_buffer: the process was ended by SIGSEGV";
  assertEquals(told.image, `fail: no device with VK_ANDROID_native_buffer: ${dead}`);
  const { text } = await check(foreignHal()!, ["dies-querying"]);
  const found = "vkEnumeratePhysicalDevices, and what the devices report: the process was ended by SIGSEGV";
  assertStringIncludes(text.replace(/\s+/g, " "), found);
});
