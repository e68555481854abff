import "../../support/warm_loader.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { VkEvent } from "../../../loader/types.ts";
import { profile } from "../../../loader/mod.ts";
import { NEEDS_TINY, withTinyDevice } from "../tiny.ts";

const EVENT = 5n as VkEvent;

Deno.test("profile() counts each command, methods and raw forms alike", NEEDS_TINY, () => {
  const { layer, rows, reset } = profile();
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

Deno.test("profile() counts the loader's and the instance's commands, too", NEEDS_TINY, () => {
  const { layer, rows } = profile();
  withTinyDevice([layer], () => {});
  const counted = new Map(rows().map(({ command, calls }) => [command, calls]));
  for (const command of ["vkCreateInstance", "vkCreateDevice", "vkDestroyDevice", "vkDestroyInstance"]) {
    assertEquals(counted.get(command), 1, command);
  }
  assertEquals(counted.get("vkEnumeratePhysicalDevices"), 2); // count, then fill
});

Deno.test("profile() puts the command with the most time first", NEEDS_TINY, () => {
  const { layer, rows } = profile();
  withTinyDevice([layer], (device) => device.vkGetEventStatus(EVENT));
  const times = rows().map(({ milliseconds }) => milliseconds);
  assertEquals(times, times.toSorted((a, b) => b - a));
});

Deno.test("profile() counts calls that throw", NEEDS_TINY, () => {
  const { layer, rows } = profile();
  withTinyDevice([layer], (device) => {
    assertThrows(() => device.vkDeviceWaitIdle(), TypeError, "not available");
  });
  assertEquals(rows().find(({ command }) => command === "vkDeviceWaitIdle")?.calls, 1);
});
