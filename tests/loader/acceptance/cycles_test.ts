import { assert, assertEquals } from "@std/assert";
import { lavapipePath, validationManifest } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { TINY } from "../tiny.ts";

/** A small young generation, so that garbage is gone when it is looked for. */
const FLAGS = ["--v8-flags=--expose-gc,--max-semi-space-size=1"];
const MIB = 1 << 20;
/**
 * The growth that may come without being a leak, whatever the number of cycles. Resident
 * memory says nothing: the engine's heap grows in steps of 16 MiB where many
 * objects live shortly. What is allocated with malloc, the objects in use and
 * the mappings beside the heap's pages stay the same: some threads' stacks and
 * large objects come and go. Files and blocks of ours must not grow at all. Where
 * malloc is counted, a quarter of a mebibyte came at most; see allocatedBytes().
 */
const NOISE = { allocated: Deno.build.arch === "aarch64" ? 2 * MIB : MIB / 2, heap: MIB / 2, mappings: 24 };
const PLAIN = compileFixture("plain_layer"), COMPILER = needs("C compiler (cc)", PLAIN).ignore;

const CASES = [
  { name: "a small driver", driver: TINY, warm: 1000, cycles: 2500, layers: [], ignore: COMPILER },
  { name: "a driver in TypeScript", driver: "scripted", warm: 800, cycles: 800, layers: [], ignore: false },
  { name: "two drivers behind one", driver: "joined", warm: 800, cycles: 800, layers: [], ignore: false },
  { name: "a native layer", driver: "scripted", warm: 800, cycles: 400, layers: [PLAIN!], ignore: COMPILER },
  {
    name: "validation",
    driver: "scripted",
    warm: 100,
    cycles: 100,
    layers: ["VK_LAYER_KHRONOS_validation"],
    ignore: needs("Khronos validation layer", validationManifest()).ignore,
  },
  {
    name: "lavapipe",
    driver: lavapipePath(),
    warm: 50,
    cycles: 100,
    layers: [],
    ignore: needs("Mesa lavapipe", lavapipePath()).ignore,
  },
];

for (const { name, driver, warm, cycles, layers, ignore } of CASES) {
  Deno.test(`nothing grows when instance and device are made again and again (${name})`, { ignore }, () => {
    const args = [driver!, `${warm}`, `${cycles}`, ...layers];
    const { code, stdout, output } = runProgram("tests/loader/acceptance/programs/cycles.ts", args, { flags: FLAGS });
    assertEquals(code, 0, output);
    const { before, after } = JSON.parse(stdout);
    assertEquals([after.files, after.blocks], [before.files, before.blocks]);
    for (const [what, noise] of Object.entries(NOISE)) {
      assert(after[what] - before[what] < noise, `${what}: ${before[what]}, then ${after[what]}`);
    }
  });
}
