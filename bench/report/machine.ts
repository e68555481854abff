import { loadVulkan } from "../../loader/mod.ts";
import { procText } from "../../tools/proc.ts";
import { nvidiaManifest } from "../../tools/setup/parts.ts";
import type { Parts } from "../parts.ts";

/** Describes the machine by what its figures depend on: cores, processor, and a GPU where there is one. */
export function machineName(driver: string): string {
  const model = /^model name\s*:\s*(.+)$/m.exec(procText("cpuinfo"))?.[1] ?? Deno.build.arch;
  const processor = `${navigator.hardwareConcurrency} cores of ${plainModel(model)}`;
  return nvidiaManifest() === undefined ? processor : `${processor}, ${deviceOf(driver)}`;
}

/** Versions of what takes part in every figure. */
export function versionsOf({ lavapipe }: Parts): Record<string, string> {
  return { Deno: Deno.version.deno, V8: Deno.version.v8, driver: deviceOf(lavapipe) };
}

function plainModel(model: string): string {
  return model.replace(/\((?:R|TM)\)|\bProcessor\b|\bCPU\b|\d+-Core|@.*$/g, "").replace(/\s+/g, " ").trim();
}

function deviceOf(driver: string): string {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  return gpu.vkGetPhysicalDeviceProperties().deviceName;
}
