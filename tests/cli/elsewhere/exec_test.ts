import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { APP, driverManifest, NEEDS_PROGRAMS } from "../../loader/elsewhere/programs.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";

/** A layer in a module of its own. */
const MODULE = `
import { defineLayer } from "${new URL("../../../loader/mod.ts", import.meta.url)}";
let buffers = 0;
export default defineLayer({
  name: "VK_LAYER_TEST_counter",
  commands: {
    vkCreateBuffer(next, ...args) {
      buffers++;
      return next(...args);
    },
    vkDestroyDevice(next, ...args) {
      console.log("so many buffers:", buffers);
      next(...args);
    },
  },
});`;

/** Runs `exec` in a process of its own. */
function exec(folder: string, ...args: string[]) {
  const manifest = driverManifest(folder), env = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
  return runProgram("cli.ts", ["exec", ...args], { env, without: /^VK_/, flags: ["--allow-sys"], seconds: 120 });
}

Deno.test(
  "cli exec runs a program under layers, prints their reports, and ends with the program's code",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const path = `${folder}/counter.ts`;
      Deno.writeTextFileSync(path, MODULE);
      const { code, stdout, stderr } = exec(folder, `--layer=${path}`, "--layer=profile", "--", APP!, "buffers", "3");
      assertEquals([code, stderr], [0, ""]);
      assertStringIncludes(stdout, "3072 bytes\n");
      assertStringIncludes(stdout, "so many buffers: 3\n");
      assertMatch(stdout, /^vkCreateBuffer .* 3 × /m);
      assertEquals(exec(folder, "--", APP!, "exit", "7").code, 7);
    }),
);

Deno.test(
  "cli exec says when a program did not load the layers, and what it cannot start",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const other = exec(folder, "--", "true");
      assertEquals([other.code, other.stderr.split(". ")[0]], [0, "true: no process of it loaded the layers"]);
      const missing = exec(folder, "--", "/nowhere/program");
      assertEquals(missing.code, 2);
      assertStringIncludes(missing.stderr, 'exec: "/nowhere/program" cannot be started');
      for (
        const [args, why] of [
          [[], 'PROGRAM is missing: write it after "--"'],
          [["--timeout=soon", "--", "true"], "--timeout=soon is no number of seconds"],
          [["--layer=VK_LAYER_KHRONOS_validation", "--", "true"], "is a native layer"],
        ] as const
      ) {
        const { code, stderr } = exec(folder, ...args);
        assertEquals(code, 2, stderr);
        assertStringIncludes(stderr, why);
      }
    }),
);
