import { assert, assertAlmostEquals, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { VkEvent } from "../../../../loader/types.ts";
import { apiProfile } from "../../../../workbench/layers.ts";
import { NEEDS_TINY, withTinyDevice } from "../../tiny.ts";
import { withScripted } from "./scripted.ts";

const EVENT = 5n as VkEvent;

Deno.test("apiProfile() counts each command, methods and raw forms alike", NEEDS_TINY, () => {
  const { layer, rows, reset } = apiProfile();
  withTinyDevice([layer], (device) => {
    reset();
    for (let i = 0; i < 5; i++) device.vkGetEventStatus(EVENT);
    device.raw.vkGetEventStatus(device.handle, EVENT);
    device.vkCreateBuffer({ size: 4n, usage: 2 });
    assertEquals(rows().map(({ command, calls }) => `${command} ${calls}`).sort(), [
      "vkCreateBuffer 1",
      "vkGetEventStatus 6",
    ]);
    assert(rows().every(({ milliseconds }) => milliseconds >= 0));
    reset();
    assertEquals(rows(), []);
  });
});

Deno.test("apiProfile() counts the loader's and the instance's commands, too", NEEDS_TINY, () => {
  const { layer, rows } = apiProfile();
  withTinyDevice([layer], () => {});
  const counted = new Map(rows().map(({ command, calls }) => [command, calls]));
  for (const command of ["vkCreateInstance", "vkCreateDevice", "vkDestroyDevice", "vkDestroyInstance"]) {
    assertEquals(counted.get(command), 1, command);
  }
  assertEquals(counted.get("vkEnumeratePhysicalDevices"), 2); // count, then fill
});

Deno.test("apiProfile() puts the command with the most time first", NEEDS_TINY, () => {
  const { layer, rows } = apiProfile();
  withTinyDevice([layer], (device) => device.vkGetEventStatus(EVENT));
  const times = rows().map(({ milliseconds }) => milliseconds);
  assertEquals(times, times.toSorted((a, b) => b - a));
});

Deno.test("apiProfile() counts calls that throw", NEEDS_TINY, () => {
  const { layer, rows } = apiProfile();
  withTinyDevice([layer], (device) => {
    assertThrows(() => device.vkDeviceWaitIdle(), TypeError, "not available");
  });
  assertEquals(rows().find(({ command }) => command === "vkDeviceWaitIdle")?.calls, 1);
});

Deno.test("apiProfile() counts by frame, and keeps the latest frames", () => {
  const { layer, frames, reset } = apiProfile({ frameEnd: "submit", keep: 2 });
  withScripted([layer], ({ device }) => {
    const queue = device.vkGetDeviceQueue(0, 0);
    reset();
    for (let frame = 0; frame < 4; frame++) {
      for (let i = 0; i <= frame; i++) device.vkGetEventStatus(EVENT);
      queue.vkQueueSubmit([]);
    }
    const brief = () => frames().map(({ frame, rows }) => [frame, ...rows.map((row) => `${row.calls} ${row.command}`)]);
    const sorted = () => brief().map((row) => row.map(String).sort().join());
    assertEquals(sorted(), ["1 vkQueueSubmit,2,3 vkGetEventStatus", "1 vkQueueSubmit,3,4 vkGetEventStatus"]);
    device.vkDeviceWaitIdle();
    assertEquals(brief().at(-1), [4, "1 vkDeviceWaitIdle"]);
    const [{ calls, milliseconds, rows }] = frames();
    assertEquals(calls, 4);
    assertAlmostEquals(milliseconds, rows.reduce((sum, row) => sum + row.milliseconds, 0));
    reset();
    assertEquals(frames(), []);
  });
});

Deno.test("apiProfile() ends a frame at a present, unless told otherwise", () => {
  const { layer, frames, reset } = apiProfile();
  withScripted([layer], ({ device }) => {
    const queue = device.vkGetDeviceQueue(0, 0);
    reset();
    queue.vkQueueSubmit([]);
    queue.vkQueuePresentKHR({ pSwapchains: [], pImageIndices: [] });
    queue.vkQueueSubmit([]);
    assertEquals(frames().map(({ frame, calls }) => [frame, calls]), [[0, 2], [1, 1]]);
  }, { physicalDevices: [{ extensions: ["VK_KHR_swapchain"] }] });
});

Deno.test("apiProfile() draws a bar for each command and each frame", () => {
  const { layer, rows, text, reset } = apiProfile({ frameEnd: "submit" });
  withScripted([layer], ({ device }) => {
    const queue = device.vkGetDeviceQueue(0, 0);
    reset();
    queue.vkQueueSubmit([]);
    device.vkDeviceWaitIdle();
    const lines = text().split("\n"), [most] = rows();
    assertEquals(lines.length, 6);
    assertMatch(lines[0], /^2 calls of 2 commands, \d+\.\d\d ms$/);
    assert(lines[1].startsWith(most.command) && lines[1].endsWith("█".repeat(40)), lines[1]);
    assertMatch(lines[4], /^frame 0: vkQueueSubmit 100\.0 % +\d+\.\d\d ms +\d+\.\d % +1 × /);
    assertMatch(lines[5], /^frame 1: vkDeviceWaitIdle /);
    const short = text(1).split("\n");
    assertEquals(short.slice(0, 2), lines.slice(0, 2));
    assertMatch(short[2], /^and 1 more commands \(1 calls, \d+\.\d\d ms\) and 2 frames$/);
    assertEquals([short.length, text(2).split("\n").at(-1)], [3, "and 2 frames"]);
    reset();
    assertEquals([text(), text(1)], Array(2).fill("0 calls of 0 commands, 0.00 ms"));
  });
});
