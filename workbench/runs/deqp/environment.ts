import { resolve } from "node:path";
import { chosenDrivers, driverChoice, type SingleDriver } from "../../../loader/driver/choice.ts";
import type { VulkanOptions } from "../../../loader/mod.ts";

/**
 * Returns variables that make the system's Vulkan loader, which dEQP uses, use a driver: the driver's manifest, or a
 * manifest that is written for the driver's library.
 */
export function driverEnvironment(driver: VulkanOptions["driver"], folder: string): Record<string, string> {
  const drivers = chosenDrivers(driverChoice(driver)).filter((each) => each.kind !== "direct");
  if (drivers.length === 0) return {};
  const manifests = drivers.map((each, index) => manifestOf(each, `${folder}/driver_${index}.json`)).join(":");
  return { VK_DRIVER_FILES: manifests, VK_ICD_FILENAMES: manifests };
}

function manifestOf({ kind, path }: Exclude<SingleDriver, { kind: "direct" }>, written: string): string {
  if (kind === "manifest") return resolve(path);
  const ICD = { library_path: path.includes("/") ? resolve(path) : path, api_version: "1.4.0" };
  Deno.writeTextFileSync(written, JSON.stringify({ file_format_version: "1.0.1", ICD }));
  return written;
}
