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
  return {
    folder: decodeURIComponent(beside.pathname).replace(/\/$/, ""),
    output: outputFolder(spec),
    driver: driver.name,
    update: variable("PUMICE_UPDATE_GOLDENS") !== undefined,
    leads,
  };
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
}
