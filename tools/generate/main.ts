/**
 * Generates loader/gen and tables of loader/requirements/gen from the Vulkan
 * registry, egl/gen from egl.xml and gl.xml, and the tables of known profiles
 * from Vulkan Profiles files, where they lie beside it or are named.
 *
 * ```sh
 * deno task generate [--registry DIR | --vk FILE --video FILE --egl FILE --gl FILE] [--profiles DIR] [--check] [--out DIR]
 * ```
 *
 * @module
 */
import { generateGl } from "./gl/outputs.ts";
import { generate, generateProfiles } from "./outputs.ts";
import { parseOptions } from "./options.ts";
import { loadRegistry } from "./registry.ts";
import { compareFiles, writeFiles } from "./write.ts";

if (import.meta.main) Deno.exit(main(Deno.args));

/** Runs the generator; returns the exit code: 0 good, 1 files differ, 2 wrong use. */
function main(args: readonly string[]): number {
  try {
    const options = parseOptions(args);
    const registry = loadRegistry(options.inputs), files = generate(registry);
    for (const [path, text] of options.profiles ? generateProfiles(registry, options.profiles) : []) {
      files.set(path, text);
    }
    if (!options.profiles) {
      console.error("the tables of profiles are left alone: name a folder with VP_*.json by --profiles");
    }
    for (const [path, text] of options.gl ? generateGl(options.gl.egl, options.gl.gl) : []) files.set(path, text);
    if (!options.gl) console.error("egl/gen is left alone: name a folder with egl.xml and gl.xml by --registry");
    if (!options.check) return writeFiles(files, options.out);
    return compareFiles(files, options.out);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}
