/**
 * Android file trees for the tests of its driver search.
 *
 * @module
 */
import { loadVulkan, type Vulkan, type VulkanOptions } from "../../../../loader/mod.ts";
import { DriverError } from "../../../../loader/error.ts";
import { compileFixture } from "../../../support/compile.ts";
import { withFolder } from "../../../support/temporary.ts";
import { TINY, tinyVariant } from "../../tiny.ts";
import { fakeHost } from "../fake_host.ts";
import type { Loaded } from "../machine.ts";

/** A HAL module around an ICD; `undefined` without a compiler. */
export function halAround(icd: string, variant: string, ...flags: string[]): string | undefined {
  return TINY && compileFixture("hal_around_icd", [`-DICD="${icd}"`, ...flags], variant);
}

/** Modules that are wrong in one way each. */
export const WRONG = {
  /** A HAL module of another kind. */
  otherId: tinyVariant("gralloc", "-DHAL", '-DHAL_ID="gralloc"')!,
  /** A HAL module whose open fails. */
  refusing: halAround("/nowhere/libvulkan_x.so", "refusing")!,
  /** A library that is no HAL module. */
  noModule: TINY!,
} as const;

/** Makes a file tree: what lies at each path is a copy of a library, or a text that begins with `text:`. */
export function withRoot<T>(files: Readonly<Record<string, string>>, use: (root: string) => T): T {
  return withFolder((root) => {
    for (const [path, content] of Object.entries(files)) {
      Deno.mkdirSync(root + path.slice(0, path.lastIndexOf("/")), { recursive: true });
      if (content.startsWith("text:")) Deno.writeTextFileSync(root + path, content.slice(5));
      else Deno.copyFileSync(content, root + path);
    }
    return use(root);
  });
}

/** Options of a loader on Android, where nothing but these files, properties and options is there. */
export function androidOptions(
  root: string,
  properties: Record<string, string>,
  more: VulkanOptions = {},
): VulkanOptions {
  return { platform: "android", host: fakeHost({ system: "android" }), root, systemProperties: properties, ...more };
}

/** Loads from a file tree and closes again; the driver's path is without the tree's folder. */
export function loadFrom(
  files: Readonly<Record<string, string>>,
  properties: Record<string, string>,
  more: VulkanOptions = {},
  use?: (vulkan: Vulkan) => void,
): Loaded {
  return withRoot(files, (root) => {
    try {
      using vulkan = loadVulkan(androidOptions(root, properties, more));
      use?.(vulkan);
      return { driver: vulkan.driver.replace(root, ""), findings: vulkan.explain(), message: "" };
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      return { driver: "", findings: error.findings, message: error.message };
    }
  });
}
