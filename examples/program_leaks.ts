/**
 * Lists the Vulkan objects that a program forgets to destroy: any program of this machine, with no source of it and
 * nothing changed in it.
 *
 * ```sh
 * deno run -A examples/program_leaks.ts vkcube --c 30
 * ```
 *
 * It starts the program that follows, and prints what was left when the
 * program destroyed the owner of the objects. `pumice exec --layer=leaks --
 * PROGRAM` does the same.
 *
 * @module
 */
import { objectLeaks, serveLayers } from "@pumice/gfx/layers";

const [program, ...args] = Deno.args;
if (program === undefined) {
  console.error("Which program? Write it behind examples/program_leaks.ts");
  Deno.exit(2);
}

const leaks = objectLeaks();
await using server = await serveLayers({ layers: [leaks.layer], log: console.error });
const { code } = await new Deno.Command(program, { args, env: server.environment() }).spawn().status;

if (server.connected === 0) console.log(`${program} made no Vulkan instance that loads layers`);
else console.log(leaks.report().text);
if (code !== 0) console.log(`${program} ended with ${code}`);
