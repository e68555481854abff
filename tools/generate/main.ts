/**
 * Generates loader/gen from the Vulkan registry, and egl/gen from egl.xml and gl.xml
 * where they lie beside it or are named.
 *
 * ```sh
 * deno task generate [--registry DIR | --vk FILE --video FILE --egl FILE --gl FILE] [--check] [--out DIR]
 * ```
 *
 * @module
 */
import { generateGl } from "./gl/outputs.ts";
import { generate } from "./outputs.ts";
import { parseOptions } from "./options.ts";
import { loadRegistry } from "./registry.ts";
import { compareFiles, writeFiles } from "./write.ts";

if (import.meta.main) Deno.exit(main(Deno.args));

/** Runs the generator; returns the exit code: 0 good, 1 files differ, 2 wrong use. */
function main(args: readonly string[]): number {
  try {
    const options = parseOptions(args);
    const files = generate(loadRegistry(options.inputs));
    for (const [path, text] of options.gl ? generateGl(options.gl.egl, options.gl.gl) : []) files.set(path, text);
    if (!options.gl) console.error("egl/gen is left alone: name a folder with egl.xml and gl.xml by --registry");
    if (!options.check) return writeFiles(files, options.out);
    return compareFiles(files, options.out);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}
