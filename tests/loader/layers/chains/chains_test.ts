import { assert, assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";

/**
 * A thousand found devices whose making failed above a interposer and that stayed known to it, and objects that a hook made and
 * kept when it failed.
 */
const CHAINS = count(100, 250, 1000);
const DRIVERS: readonly (readonly [string, string | undefined])[] = [
  ["Mesa lavapipe", lavapipePath()],
  ["SwiftShader", swiftshaderPath()],
];

for (const [name, driver] of DRIVERS) {
  Deno.test(
    `no layer that misbehaves ends the process in random chains on ${name}, a fifth with validation`,
    {
      ignore: needs(name, driver).ignore || needs("Khronos validation layer", validationManifest()).ignore,
    },
    () => {
      const seed = Math.trunc(Math.random() * 2 ** 31);
      console.log(`seed ${seed}`); // before the first chain, for a run that is cut off
      const args = [driver!, String(seed), String(CHAINS), "VK_LAYER_KHRONOS_validation"];
      const { code, stdout, stderr } = runProgram("tests/loader/layers/chains/program.ts", args);
      assertEquals(code, 0, `seed ${seed}: ${stderr.split("\n").slice(-20).join("\n")}`);
      const { chains, filled, errors } = JSON.parse(stdout.trim().split("\n").at(-1)!);
      assertEquals(chains, CHAINS);
      assert(filled > CHAINS / 10 && errors > CHAINS / 10, `seed ${seed}: ${filled} filled, ${errors} errors`);
    },
  );
}
