import { assertEquals } from "@std/assert";
import { findCommand } from "../../../../loader/command/table.ts";
import { HOOKS, QUERIES } from "../../../../loader/terminator/android/hooks.ts";

Deno.test("HOOKS has AOSP's 57 commands, each once and at its level", () => {
  assertEquals([HOOKS.length, new Set(HOOKS.map(({ name }) => name)).size], [57, 57]);
  for (const { name, level } of HOOKS) assertEquals(findCommand(name)?.level, level, name);
  const count = (level: string) => HOOKS.filter((hook) => hook.level === level).length;
  assertEquals([count("global"), count("instance"), count("device")], [2, 28, 27]);
});

Deno.test("HOOKS guards what a device may lack, but neither 1.0 nor the native buffers", () => {
  const unguarded = HOOKS.filter(({ level, checked }) => level === "device" && !checked);
  const extensions = [...new Set(unguarded.map(({ extension }) => extension))];
  assertEquals(extensions, ["VK_VERSION_1_0", "VK_ANDROID_native_buffer"]);
});

Deno.test("QUERIES are the ten that Vulkan 1.1 asks of physical devices", () => {
  assertEquals([QUERIES.length, QUERIES.filter((name) => name.endsWith("2")).length], [10, 7]);
});
