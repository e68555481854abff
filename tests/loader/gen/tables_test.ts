import { assert, assertEquals } from "@std/assert";
import { COMMANDS, DEVICE_NAMES, INSTANCE_NAMES } from "../../../loader/gen/command_table_gen.js";
import { EXTENSIONS } from "../../../loader/gen/extensions_gen.ts";
import { RESULTS } from "../../../loader/gen/results_gen.ts";
import { STRUCTS } from "../../../loader/gen/structs_gen.js";

Deno.test("STRUCTS names every struct once and only types that exist", () => {
  const names = lines(STRUCTS).map((line) => line.split(" ")[0]);
  assertEquals(new Set(names).size, names.length);
  assert(names.length > 1500, `only ${names.length} structs`);
});

Deno.test("COMMANDS gives every command of the dispatch tables its own slot", () => {
  const slots = new Map(lines(COMMANDS).map((line) => line.split(" ") as [string, string]));
  INSTANCE_NAMES.split(" ").forEach((name, index) => assertEquals(slots.get(name), `i${index}`));
  DEVICE_NAMES.split(" ").forEach((name, index) => assertEquals(slots.get(name), `d${index}`));
  const globals = [...slots].filter(([, slot]) => slot === "g").map(([name]) => name).sort();
  assertEquals(globals, [
    "vkCreateInstance",
    "vkEnumerateInstanceExtensionProperties",
    "vkEnumerateInstanceLayerProperties",
    "vkEnumerateInstanceVersion",
  ]);
  assertEquals(slots.size, globals.length + INSTANCE_NAMES.split(" ").length + DEVICE_NAMES.split(" ").length);
});

Deno.test("COMMANDS states aliases by the command they stand for", () => {
  const targets = new Map(lines(COMMANDS).map((line) => [line.split(" ")[0], line.split(" ")[2]]));
  assertEquals(targets.get("vkGetBufferDeviceAddressKHR"), "=vkGetBufferDeviceAddress");
  for (const target of targets.values()) {
    if (target.startsWith("=")) assert(!targets.get(target.slice(1))!.startsWith("="), target);
  }
});

Deno.test("layouts_gen.txt states VK_ANDROID_native_buffer as version 11 of the extension has it", () => {
  assertEquals(layoutsOf("VkNativeBufferANDROID"), "72 8 0 8 16 24 28 32 40 56 64");
  assertEquals(layoutsOf("VkSwapchainImageCreateInfoANDROID"), "24 8 0 8 16");
  assertEquals(layoutsOf("VkPhysicalDevicePresentationPropertiesANDROID"), "24 8 0 8 16");
  assertEquals(layoutsOf("VkGrallocUsageInfoANDROID"), "24 8 0 8 16 20");
  assertEquals(layoutsOf("VkGrallocUsageInfo2ANDROID"), "32 8 0 8 16 20 24");
});

Deno.test("STRUCTS has the structure types of VK_ANDROID_native_buffer and of the loader's links", () => {
  const tags = new Map(lines(STRUCTS).map((line) => line.split(" ") as [string, string]));
  assertEquals(tags.get("VkNativeBufferANDROID"), "1000010000");
  assertEquals(tags.get("VkGrallocUsageInfo2ANDROID"), "1000010004");
  assertEquals([tags.get("VkLayerInstanceCreateInfo"), tags.get("VkLayerDeviceCreateInfo")], ["47", "48"]);
});

Deno.test("EXTENSIONS lists the commands of each extension by slot", () => {
  const line = lines(EXTENSIONS).find((each) => each.startsWith("VK_ANDROID_native_buffer "))!;
  const [, kind, number, version, platform, promotedTo, ...words] = line.split(" ");
  assertEquals([kind, number, version, platform, promotedTo], ["d", "11", "11", "android", "-"]);
  const names = DEVICE_NAMES.split(" ");
  const slots = words.filter((word) => /^d\d+$/.test(word));
  assertEquals(words.filter((word) => !slots.includes(word)), ["s2"]);
  assertEquals(slots.map((slot) => names[Number(slot.slice(1))]).sort(), [
    "vkAcquireImageANDROID",
    "vkGetSwapchainGrallocUsage2ANDROID",
    "vkGetSwapchainGrallocUsage3ANDROID",
    "vkGetSwapchainGrallocUsage4ANDROID",
    "vkGetSwapchainGrallocUsageANDROID",
    "vkQueueSignalReleaseImageANDROID",
  ]);
});

Deno.test("RESULTS names results by their values", () => {
  assert(RESULTS.includes(" VK_SUCCESS=0 ") && RESULTS.includes(" VK_ERROR_DEVICE_LOST=-4 "));
});

Deno.test("the generated modules that programs load stay below 2 MB of code, and all below 5.2 MB with their documentation", () => {
  const folder = new URL("../../../loader/gen/", import.meta.url), names = [...Deno.readDirSync(folder)];
  const texts = new Map(names.map(({ name }) => [name, Deno.readTextFileSync(new URL(name, folder))]));
  const size = (parts: readonly string[]) => parts.reduce((sum, { length }) => sum + length, 0);
  const loaded = [...texts].filter(([name]) => !name.endsWith(".d.ts")); // declarations are for the type check alone
  const code = size(loaded.map(([, text]) => text.replace(/\/\*\*[^]*?\*\/\n/g, "")));
  assert(code <= 2_000_000, `${code} bytes of code`);
  assert(size([...texts.values()]) <= 5_200_000, `${size([...texts.values()])} bytes`);
});

function lines(table: string): string[] {
  return table.trim().split("\n");
}

function layoutsOf(name: string): string | undefined {
  const text = Deno.readTextFileSync(new URL("layouts_gen.txt", import.meta.url));
  return text.match(new RegExp(`^${name} (.*)$`, "m"))?.[1];
}
