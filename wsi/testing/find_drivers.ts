import { denoHost } from "../../loader/driver/host/host.ts";
import { linuxManifests } from "../../loader/driver/linux/search.ts";
import { readIcdManifest } from "../../loader/driver/manifest/manifest.ts";
import { platformOf } from "../../loader/driver/search/platform.ts";
import type { GpuTestOptions, NamedDriver } from "./options.ts";
import { variable } from "./task.ts";

/**
 * The drivers that a test is for: those it names, or those of PUMICE_DRIVERS,
 * or all that this machine's manifests lead to; on Android the one there is.
 * None is opened.
 */
export function findDrivers({ drivers }: GpuTestOptions): NamedDriver[] {
  if (drivers) return Object.entries(drivers).map(([name, path]) => ({ name, path }));
  const listed = variable("PUMICE_DRIVERS")?.split(":").filter((path) => path !== "");
  if (listed) return named(listed);
  const host = denoHost();
  return platformOf("auto", host) === "android" ? [{ name: "android", path: "auto" }] : named(librariesOfManifests());
}

function librariesOfManifests(): string[] {
  const host = denoHost();
  const libraries = linuxManifests(host, []).flatMap(({ path }) => {
    try {
      return [readIcdManifest(path, host).library];
    } catch {
      return []; // `cli.ts explain` says what is wrong with it
    }
  });
  return [...new Set(libraries)];
}

/** Names for drivers by their files; of one name the second has a number behind it. */
function named(paths: readonly string[]): NamedDriver[] {
  const seen = new Map<string, number>();
  return paths.map((path) => {
    const name = driverName(path), count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { name: count === 1 ? name : `${name} ${count}`, path };
  });
}

/**
 * What a driver is called by its file.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const paths = ["/usr/lib/libvulkan_lvp.so", "/vendor/lib64/hw/vulkan.adreno.so", "libGLX_nvidia.so.0"];
 * assertEquals(paths.map(driverName), ["lvp", "adreno", "nvidia"]);
 * ```
 */
export function driverName(path: string): string {
  const file = path.slice(path.lastIndexOf("/") + 1).replace(/\.(so[.\d]*|json)$/, "");
  return file.replace(/^lib/, "").replace(/^(vulkan|vk|GLX|EGL)[._]/, "").replace(/_icd\b.*$/, "") || file;
}
