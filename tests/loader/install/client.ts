import { assertEquals } from "@std/assert";
import { systemLoaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { runProgram } from "../../support/subprocess.ts";
import { compileNativeApp } from "./native_app.ts";

/** The system's C loader. */
export const SYSTEM: string | undefined = systemLoaderPath();
/** Options for tests that hold the C loader beside ours. */
export const NEEDS_SYSTEM: { ignore: boolean } = needs("the system's Vulkan loader", SYSTEM);

/** The way in which a native program is to run. */
export interface ClientRun {
  /** `pumice`, `pumice:DRIVER:…`, or the path of a C loader. */
  readonly loader: string;
  /** On the thread of the loader, or on one of its own. Default: its own. */
  readonly where?: "here" | "thread";
  /** The program's argument. */
  readonly what?: number;
  /** The only driver there is for those who look for drivers. */
  readonly driver?: string;
  /** Other variables. */
  readonly env?: Record<string, string>;
  /** Functions to ask afterwards, as `LIBRARY:FUNCTION`. */
  readonly counters?: readonly string[];
}

/** The words of a native program, line by line, and the counters. */
export interface ClientReport {
  readonly said: readonly string[];
  readonly counts: readonly number[];
}

/** A program of tests/fixtures that includes client.h; `undefined` without a compiler or the Vulkan headers. */
export function compileClient(program: string): string | undefined {
  return compileNativeApp("dlopen", program);
}

/** Runs it in a process of its own. */
export function runClient(
  app: string,
  { loader, where = "thread", what = 0, driver, env = {}, counters = [] }: ClientRun,
): ClientReport {
  const args = [loader, where, app, `${what}`, ...counters];
  return withFolder((folder) => {
    const drivers = driver ? onlyDriver(driver, `${folder}/driver.json`) : {};
    // The user's variables about drivers and layers are not what a test is about.
    const surroundings = { env: { ...drivers, ...env }, without: /^VK_/, seconds: 100 };
    const { code, stdout, output } = runProgram("tests/loader/install/programs/client.ts", args, surroundings);
    assertEquals(code, 0, output);
    const lines = stdout.trimEnd().split("\n");
    return { said: lines.slice(0, -1), counts: JSON.parse(lines.at(-1)!) };
  });
}

/** Variables by which a driver is the only one. */
function onlyDriver(driver: string, manifest: string): Record<string, string> {
  const icd = { library_path: driver, api_version: "1.3.0" };
  Deno.writeTextFileSync(manifest, JSON.stringify({ file_format_version: "1.0.0", ICD: icd }));
  return { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
}
