import { driverManifest } from "../../workbench/layer_server/programs.ts";
import { type Outcome, runProgram } from "../../support/subprocess.ts";

/** Runs `exec` in a process of its own, with the driver alone. */
export function exec(
  folder: string,
  args: readonly string[],
  more: Record<string, string> = {},
  cwd?: string,
): Outcome {
  const manifest = driverManifest(folder), env = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest, ...more };
  return runProgram("cli.ts", ["exec", ...args], { env, cwd, without: /^VK_/, flags: ["--allow-sys"], seconds: 120 });
}

/** Writes a module with a layer, given as the properties of `defineLayer`, and returns the path. */
export function layerModule(folder: string, name: string, definition: string, before = ""): string {
  const path = `${folder}/${name}.ts`, loader = new URL("../../../loader/mod.ts", import.meta.url);
  Deno.writeTextFileSync(
    path,
    `import { defineLayer } from "${loader}";\n${before}\n` +
      `export default defineLayer({ name: "VK_LAYER_TEST_${name}", ${definition} });\n`,
  );
  return path;
}
