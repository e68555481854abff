import type { Vulkan } from "../../../loader/mod.ts";
import { type GpuTestContext, makeContext } from "./context.ts";
import { openDevice } from "../../../wsi/gpu/device.ts";
import type { GpuTestOutline, GpuTestSpec, NamedDriver } from "./options.ts";
import type { Listing } from "./task.ts";
import { goldenPlace } from "./places.ts";
import { openBench } from "../../../wsi/gpu/bench.ts";

const names = new Set<string>();
let wanted: { readonly file: string; readonly found: Map<string, GpuTestSpec<GpuTestContext>> } | undefined;

/**
 * Notes a test. Returns `true` during {@linkcode gpuTestOf}, which only looks for a test. Throws a `TypeError` for a
 * name that the file already has.
 */
export function noteSpec(spec: GpuTestSpec<GpuTestContext>): boolean {
  if (wanted) {
    wanted.found.set(spec.name, { ...spec, file: wanted.file });
    return true;
  }
  if (names.has(spec.name)) {
    throw new TypeError(
      `Cannot have two tests of the name "${spec.name}" in one file: the file's process finds its test by the name; give each test a name of its own`,
    );
  }
  names.add(spec.name);
  return false;
}

/** Notes a test for the process that lists the tests of this file. */
export function noteListed({ list }: Listing, { name, file, options }: GpuTestOutline, line: number | undefined): void {
  const { pNext: _, ...own } = options; // structs may hold numbers that JSON does not have
  Deno.writeTextFileSync(list, `${JSON.stringify({ name, file, options: own, line })}\n`, { append: true });
}

/**
 * Returns the test with a name from a file, to run the test by hand; the scripts of failed tests call this function.
 * The file is loaded, but its tests do not run.
 *
 * @param load Loads the file. Default: `import()` of the file's address. An `import()` that is written in the script
 * itself lets a bundler take the file along.
 * @throws {TypeError} when the file has no test of that name.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx";
 * import { gpuTestOf, openGpuTest } from "@pumice/gfx/testing";
 *
 * const file = import.meta.resolve("./draw_test.ts"), spec = await gpuTestOf(file, "a triangle is drawn");
 * using vulkan = loadVulkan();
 * using opened = openGpuTest(vulkan, spec, { name: "mine", path: "auto" });
 * await spec.body(opened);
 * ```
 */
export async function gpuTestOf(
  file: string,
  name: string,
  load: () => Promise<unknown> = () => import(file),
): Promise<GpuTestSpec<GpuTestContext>> {
  const found = new Map<string, GpuTestSpec<GpuTestContext>>();
  wanted = { file, found };
  try {
    await load();
  } finally {
    wanted = undefined;
  }
  const spec = found.get(name);
  if (spec) return spec;
  throw new TypeError(`Cannot find the test "${name}" in ${file}: found ${[...found.keys()].join(", ") || "none"}`);
}

/**
 * Creates a test's argument on an open loader, to run the test by hand. Closing the result leaves the loader open.
 *
 * @param folder Where pictures go that do not match, and where copies of golden files are if those are not at hand.
 * Default: the folder of failed tests.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx";
 * import { gpuTestOf, openGpuTest } from "@pumice/gfx/testing";
 *
 * const spec = await gpuTestOf(import.meta.resolve("./draw_test.ts"), "a triangle is drawn");
 * using vulkan = loadVulkan({ driver: "/usr/lib/libvulkan_mine.so" });
 * using opened = openGpuTest(vulkan, spec, { name: "mine", path: "/usr/lib/libvulkan_mine.so" });
 * console.log(opened.properties.deviceName);
 * ```
 */
export function openGpuTest(
  vulkan: Vulkan,
  spec: GpuTestSpec<GpuTestContext>,
  driver: NamedDriver,
  folder?: string,
): GpuTestContext & Disposable {
  const bench = openBench(openDevice(vulkan, spec.options, "gpuTest")), place = goldenPlace(spec, driver, true);
  const own = folder === undefined ? place : { ...place, output: folder, copies: folder };
  const context = makeContext(bench, { ...own, update: false }, spec.name, spec.options.tolerance);
  return { ...context, [Symbol.dispose]: () => bench.owned.dispose() };
}
