import { onPath } from "../../../tools/setup/files.ts";
import { lavapipePath, systemLoaderPath, xvfbPath } from "../../../tools/setup/parts.ts";
import { LAYER_NAME } from "../../../workbench/layer_server/manifest.ts";
import type { LayerServer } from "../../../workbench/layer_server/serve_layers.ts";
import { needs } from "../../support/require.ts";
import { compileProgram } from "../../support/compile.ts";
import { type Outcome, run } from "../../support/subprocess.ts";
import { until } from "../../support/until.ts";

/** The tests' own program, which uses the system's Vulkan loader. */
export const APP = Deno.build.arch === "x86_64" && systemLoaderPath() ? compileProgram("elsewhere_app") : undefined;

/** The needs of tests with native programs: this processor, a driver, the system's loader and its programs. */
export const NEEDS_PROGRAMS = needs(
  "native programs: x86-64, a C compiler, lavapipe, the Vulkan loader, vulkaninfo, vkcube and Xvfb",
  APP && lavapipePath() && onPath("vulkaninfo") && onPath("vkcube") && xvfbPath(),
);

/** Variables for native programs: lavapipe alone, and the layers of `layers` in a folder. */
export function environment(folder: string, names?: string): Record<string, string> {
  const manifest = driverManifest(folder);
  const own = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest, VK_ADD_LAYER_PATH: `${folder}/layers` };
  return names === undefined ? own : { ...own, VK_INSTANCE_LAYERS: names };
}

/** Runs a program with the layer in `layers` of a folder, or without. */
export function runIn(
  folder: string,
  isIn: boolean,
  line: readonly string[],
  more: Record<string, string> = {},
): Outcome {
  const env = { ...environment(folder, isIn ? LAYER_NAME : undefined), ...more };
  return run(line[0], line.slice(1), { env, without: /^VK_/, seconds: 120 });
}

/** The end of a program under layers, and its output. */
export interface Served {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program under the layers of a server, while the server answers; `order` names more layers in the order wanted. */
export async function runServed(
  server: LayerServer,
  line: readonly string[],
  more: Record<string, string> = {},
  order?: string,
): Promise<Served> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("VK_"));
  const manifest = driverManifest(server.folder);
  const own = { ...Object.fromEntries(kept), VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest, ...more };
  const env = { ...server.environment(own), ...order === undefined ? {} : { VK_INSTANCE_LAYERS: order } };
  const command = new Deno.Command("timeout", { args: ["120", ...line], env, clearEnv: true });
  const { code, stdout, stderr } = await command.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Waits until a server has noticed that its programs are gone: a socket says so when the server listens next. */
export async function untilLeft(server: LayerServer): Promise<void> {
  await until("the programs have left", () => server.programs <= 0);
}

/** Writes a manifest of the driver to a folder. */
export function driverManifest(folder: string, driver = lavapipePath()): string {
  const path = `${folder}/driver/driver.json`;
  Deno.mkdirSync(`${folder}/driver`, { recursive: true });
  const ICD = { library_path: driver, api_version: "1.3.0" };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", ICD }));
  return path;
}
