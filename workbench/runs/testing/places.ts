import type { GoldenPlace } from "./golden.ts";
import type { GpuTestSpec, NamedDriver } from "./options.ts";
import { variable } from "./task.ts";

/** The path of the folder for the files of failed tests. */
export function outputFolder({ options }: Pick<GpuTestSpec<never>, "options">): string {
  return absolute(options.output ?? variable("PUMICE_GPU_OUT") ?? "out/gpu-tests");
}

/** The place of a test's golden files. */
export function goldenPlace(spec: GpuTestSpec<never>, driver: NamedDriver, leads: boolean): GoldenPlace {
  const beside = new URL(`${spec.options.goldens ?? "goldens"}`, spec.file);
  const file = decodeURIComponent(new URL(spec.file).pathname), end = file.lastIndexOf("/");
  return {
    folder: decodeURIComponent(beside.pathname).replace(/\/$/, ""),
    output: outputFolder(spec),
    driver: driver.name,
    update: updatesGoldens(),
    owner: { test: spec.name, file: file.slice(end + 1), beside: file.slice(0, end) },
    leads,
  };
}

/**
 * Whether golden pictures are written instead of compared.
 *
 * @throws {TypeError} for any value of the variable but 1.
 */
export function updatesGoldens(): boolean {
  const value = variable("PUMICE_UPDATE_GOLDENS");
  if (value === undefined || value === "1") return value === "1";
  throw new TypeError(
    `PUMICE_UPDATE_GOLDENS is "${value}"; give 1 to write golden pictures anew, or leave the variable out to compare`,
  );
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
}

/**
 * Converts a name to a part of a file's name.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(slug("draw() fills the top, too"), "draw-fills-the-top-too");
 * ```
 */
export function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "test";
}
