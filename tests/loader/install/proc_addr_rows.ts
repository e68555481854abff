import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import type {
  VkDevice,
  VkDeviceCreateInfo,
  VkInstance,
  VkInstanceCreateInfo,
} from "../../../loader/gen/types_core_gen.ts";
import type { Vulkan } from "../../../loader/mod.ts";
import { NativeVulkan } from "./native.ts";

/** The answer for a name: the function the library exports, another function, or NULL. */
export type Answer = "export" | "function" | "none";
/** A rule with a case of it: what is asked, of which handle, and the answer. */
export type Row = readonly [
  rule: string,
  of: "NULL" | "instance" | "NULL device" | "device",
  name: string,
  answer: Answer,
];

/** An installed loader with an instance and a device, asked by native code and by a script. */
export interface Asked {
  /** The loader as a script sees it. */
  readonly vulkan: Vulkan;
  /** The loader as native code sees it. */
  readonly native: NativeVulkan;
  /** The instance. */
  readonly instance: VkInstance;
  /** The device. */
  readonly device: VkDevice;
}

/** The objects to make. */
export interface Wanted {
  /** The instance. */
  readonly info?: VkInstanceCreateInfo;
  /** The device. */
  readonly deviceInfo?: VkDeviceCreateInfo;
}

/** Installs a loader, makes an instance and a device, and closes everything afterwards. */
export function withAsked(vulkan: Vulkan, { info = {}, deviceInfo = {} }: Wanted, use: (asked: Asked) => void): void {
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  using instance = vulkan.vkCreateInstance(info);
  const pQueueCreateInfos = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({ pQueueCreateInfos, ...deviceInfo });
  const mark = arena().mark();
  use({ vulkan, native, instance, device });
  arena().release(mark);
}

/** Checks rows as native code sees them. */
export function checkNative({ native, instance, device }: Asked, rows: readonly Row[]): void {
  for (const [rule, of, name, answer] of rows) {
    const found = of.includes("device")
      ? native.ofDevice(of === "device" ? device.handle : 0n, name)
      : native.ofInstance(of === "instance" ? instance.handle : 0n, name);
    assertEquals(kindOf(found, native.find(name)), answer, `${rule}: ${name}`);
  }
}

/** Checks the same rows as a script sees them: its functions are those behind the trampolines. */
export function checkScript(asked: Asked, rows: readonly Row[]): void {
  for (const [rule, of, name, answer] of rows) {
    for (const found of ofScript(asked, of, name)) assertEquals(found === 0n, answer === "none", `${rule}: ${name}`);
  }
}

/** The answers of a script's raw GetProcAddr, of the loader and of the object. */
function ofScript({ vulkan, instance, device }: Asked, of: Row[1], name: string): bigint[] {
  const text = arena().place(cstring(name));
  if (of.includes("device")) return [device.raw.vkGetDeviceProcAddr(of === "device" ? device.handle : 0n, text)];
  const handle = of === "instance" ? instance.handle : 0n;
  return [vulkan, instance].map(({ raw }) => raw.vkGetInstanceProcAddr(handle, text));
}

function kindOf(found: bigint, exported: bigint): Answer {
  if (found === 0n) return "none";
  return found === exported ? "export" : "function";
}
