import { resolve } from "node:path";
import { isFile } from "../../../ffi/library/library.ts";
import { denoHost } from "../../../loader/driver/host/host.ts";
import { linuxManifests } from "../../../loader/driver/linux/search.ts";
import { readIcdManifest } from "../../../loader/driver/manifest/manifest.ts";
import { platformOf } from "../../../loader/driver/search/search.ts";
import type { GpuTestOptions, NamedDriver } from "./options.ts";
import { twinParts, twinText } from "../../process/twin_words.ts";
import { variable } from "./task.ts";

/**
 * Finds the drivers of a test: those that the test names, those of PUMICE_DRIVERS, or all drivers of this machine's
 * manifests; on Android, the only driver. Opens none of them.
 */
export function findDrivers({ drivers, twins }: GpuTestOptions): NamedDriver[] {
  return asTwins(driversOf(drivers), twins);
}

/** Returns each driver as each of the devices; the drivers themselves without devices. */
export function asTwins(drivers: readonly NamedDriver[], twins: readonly string[] = []): NamedDriver[] {
  if (twins.length === 0) return [...drivers];
  return drivers.flatMap((driver) =>
    twins.map((twin) => ({
      ...driver,
      name: `${driver.name} as ${driverName(twin)}`,
      own: driver.name,
      twin: whole(twin),
    }))
  );
}

/** A twin by the whole path of its file, so that processes in other folders find the file. */
function whole(twin: string): string {
  const { strictness, source } = twinParts(twin);
  return isFile(source) ? twinText({ strictness, source: resolve(source) }) : twin;
}

function driversOf(drivers: GpuTestOptions["drivers"]): NamedDriver[] {
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
      return []; // `cli.ts explain` reports the fault
    }
  });
  return [...new Set(libraries)];
}

/** Names drivers by their files; the second driver with a name gets a number behind the name. */
export function named(paths: readonly string[]): NamedDriver[] {
  const seen = new Map<string, number>();
  return paths.map((path) => {
    const name = driverName(path), count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { name: count === 1 ? name : `${name} ${count}`, path };
  });
}

/**
 * Returns the name of a driver's file.
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
