import { assert, assertEquals } from "@std/assert";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { tableLayout } from "../../../../loader/chain/table/table_layout.ts";
import { findExtension } from "../../../../loader/command/registry/extension.ts";
import { GUARDED } from "../../../../loader/terminator/android/guards.ts";
import { HOOKS, QUERIES } from "../../../../loader/terminator/android/hooks.ts";

Deno.test("HOOKS has AOSP's 57 commands, each once and at its level", () => {
  const known = HOOKS.filter(({ from }) => from === 0);
  assertEquals([known.length, new Set(HOOKS.map(({ name }) => name)).size], [57, HOOKS.length]);
  for (const { name, level } of HOOKS) assertEquals(findCommand(name)?.level, level, name);
  const count = (level: string) => known.filter((hook) => hook.level === level).length;
  assertEquals([count("global"), count("instance"), count("device")], [2, 28, 27]);
});

Deno.test("HOOKS guards what a device may lack, but neither 1.0 nor the native buffers", () => {
  const unguarded = HOOKS.filter(({ level, checked }) => level === "device" && !checked);
  const extensions = [...new Set(unguarded.map(({ extension }) => extension))];
  assertEquals(extensions, ["VK_VERSION_1_0", "VK_ANDROID_native_buffer"]);
});

Deno.test("HOOKS has those of release 17 for what its window system offers, and every guard has its place", () => {
  const late = HOOKS.filter(({ from }) => from === 17);
  for (const { name, extension } of late) assert(findExtension(extension)!.commands.includes(name), name);
  assertEquals(late.length, 6);
  const { own, front } = tableLayout("device");
  assertEquals(GUARDED.length <= front - own, true);
});

Deno.test("QUERIES are the ten that Vulkan 1.1 asks of physical devices", () => {
  assertEquals([QUERIES.length, QUERIES.filter((name) => name.endsWith("2")).length], [10, 7]);
});
