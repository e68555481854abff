/**
 * Generates loader/gen and tables of loader/requirements/gen from the Vulkan
 * registry, egl/gen from egl.xml and gl.xml, and the tables of known profiles
 * from Vulkan Profiles files, where they lie beside it or are named; then
 * ffi/gen, the machine code that every program needs, from ffi/emit and the
 * tables in place, the pages that are served as modules of texts, the page about
 * the command line, and the codecs of binder's interfaces. `--images` does only the last four.
 *
 * ```sh
 * deno task generate [--registry DIR | --vk FILE --video FILE --egl FILE --gl FILE] [--profiles DIR] [--images] [--check] [--out DIR]
 * ```
 *
 * @module
 */
import { generateBinder } from "./binder/main.ts";
import { parseOptions, type RegistryInputs } from "./options.ts";
import { generatePages } from "./pages.ts";
import { loadRegistry } from "./registry/registry.ts";
import { compareFiles, refuseOlder, writeFiles } from "./write.ts";

if (import.meta.main) Deno.exit(await main(Deno.args));

/** Runs the generator; returns the exit code: 0 good, 1 files differ, 2 wrong use. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args), put = options.check ? compareFiles : writeFiles;
    const tables = options.registry ? put(await registryFiles(options.registry, options.out), options.out) : 0;
    // Only now: the images hold what the tables say, which may have been written just before.
    const { generateImages } = await import("./images.ts"), { generateCommandLine } = await import("./command_line.ts");
    const rest = new Map([...generateImages(), ...generatePages(), ...generateCommandLine(), ...generateBinder()]);
    return Math.max(tables, put(rest, options.out));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}

/**
 * Writing the tables needs the ground floor, which wants its images: so the
 * images can be written without the tables.
 */
async function registryFiles({ inputs, profiles, gl }: RegistryInputs, out: string): Promise<Map<string, string>> {
  const { generate, generateProfiles } = await import("./outputs.ts"), { generateGl } = await import("./gl/outputs.ts");
  const registry = loadRegistry(inputs), files = generate(registry);
  refuseOlder(files, out, inputs[0]);
  for (const [path, text] of profiles ? generateProfiles(registry, profiles) : []) files.set(path, text);
  if (!profiles) console.error("the tables of profiles are left alone: name a folder with VP_*.json by --profiles");
  for (const [path, text] of gl ? generateGl(gl.egl, gl.gl) : []) files.set(path, text);
  if (!gl) console.error("egl/gen is left alone: name a folder with egl.xml and gl.xml by --registry");
  return files;
}
