/**
 * Drivers, manifests and loaders for the tests of the driver search.
 *
 * @module
 */
import { type Finding, loadVulkan, requireDriver, type Vulkan, type VulkanOptions } from "../../../loader/mod.ts";
import type { VkInstance } from "../../../loader/gen/types_core_gen.ts";
import { DriverError } from "../../../loader/error.ts";
import { compileFixture } from "../../support/compile.ts";
import { withFolder } from "../../support/temporary.ts";
import { TINY } from "../tiny.ts";
import { type FakeHost, fakeHost } from "./fake_host.ts";

/** A build of the driver that speaks any interface version; `undefined` without a compiler. */
export function interfaceDriver(variant: string, ...flags: string[]): string | undefined {
  return TINY && compileFixture("interface_driver", flags, variant);
}

/** Writes a driver manifest; `ICD` members beside library_path, and others at the top, may be given. */
export function writeManifest(path: string, library: string, icd: object = {}, top: object = {}): string {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const ICD = { library_path: library, api_version: "1.3.0", ...icd };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", ICD, ...top }));
  return path;
}

/** The result of loading: the driver in use, `""` when it failed, and everything that was looked at. */
export interface Loaded {
  /** The driver's file. */
  readonly driver: string;
  /** The things that were looked at. */
  readonly findings: readonly Finding[];
  /** The error's message, `""` without one. */
  readonly message: string;
}

/** Loads on Linux where only this environment holds, and closes again. */
export function loadWith(fake: FakeHost, use?: (vulkan: Vulkan) => void, options: VulkanOptions = {}): Loaded {
  try {
    using vulkan = requireDriver(loadVulkan({ platform: "linux", host: fakeHost(fake), ...options }));
    use?.(vulkan);
    return { driver: vulkan.driver, findings: vulkan.explain(), message: "" };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return { driver: "", findings: error.findings, message: error.message };
  }
}

/** Loads where one manifest, with these members, leads to a driver. */
export function loadManifest(library: string, icd: object = {}, top: object = {}): Loaded {
  return withFolder((folder) =>
    loadWith({ env: { VK_DRIVER_FILES: writeManifest(`${folder}/a.json`, library, icd, top) } })
  );
}

/** The finding about a subject whose path ends so. */
export function findingOf(findings: readonly Finding[], subject: Finding["subject"], end = ""): Finding | undefined {
  return findings.find((each) => each.subject === subject && each.path.endsWith(end));
}

/** The VkPhysicalDeviceType of each physical device, in their order. */
export function deviceTypes(instance: VkInstance): number[] {
  return instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceType);
}
