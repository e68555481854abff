import { resolve } from "node:path";
import type { VulkanOptions } from "../../../loader/mod.ts";

/**
 * Returns variables that make the system's Vulkan loader, which dEQP uses, use a driver: the driver's manifest, or a
 * manifest that is written for the driver's library.
 */
export function driverEnvironment(driver: VulkanOptions["driver"], folder: string): Record<string, string> {
  const drivers = [driver ?? "auto"].flat(),
    paths = drivers.filter((each) => typeof each === "string" && each !== "auto");
  if (paths.length === 0) return {};
  const manifests = paths.map((path, index) => manifestOf(path as string, `${folder}/driver_${index}.json`)).join(":");
  return { VK_DRIVER_FILES: manifests, VK_ICD_FILENAMES: manifests };
}

function manifestOf(path: string, written: string): string {
  if (path.endsWith(".json")) return resolve(path);
  const ICD = { library_path: path.includes("/") ? resolve(path) : path, api_version: "1.4.0" };
  Deno.writeTextFileSync(written, JSON.stringify({ file_format_version: "1.0.1", ICD }));
  return written;
}
