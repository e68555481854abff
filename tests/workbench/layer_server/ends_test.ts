import { assert, assertEquals, assertMatch } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { compileProgram } from "../../support/compile.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../../support/temporary.ts";
import { NEEDS_PROGRAMS, runServed } from "./programs.ts";

const HOSTILE = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_hostile")!;
/** The commands that a buffer takes and the test asks for, and how many buffers a program makes. */
const EACH = 2, BUFFERS = 205;

/** Runs a program that makes buffers and ends so, and returns how many calls were heard of, and what was said. */
async function heardOf(how: string, listen: string | undefined) {
  let calls = 0;
  const said: string[] = [],
    layer = defineLayer({
      name: "VK_LAYER_TEST_hearing",
      anyCommand: () => (next, ...args) => next(...args),
      recorded: () => void calls++,
    });
  const policies = { vkCreateBuffer: "record", vkDestroyBuffer: "record" } as const;
  const server = await serveLayers({ layers: [layer], listen, policies, log: (message) => said.push(message) });
  const { code, stderr } = await runServed(server, [HOSTILE, "ends", `${BUFFERS}`, how]);
  await server.close();
  assertEquals([stderr, server.lostCalls], ["", 0]);
  return { code, calls, said };
}

for (const kind of ["memory", "unix", "tcp"] as const) {
  const addressIn = (folder: string) =>
    ({ memory: undefined, unix: `unix:${folder}/socket`, tcp: "tcp:127.0.0.1:0" })[kind];

  for (const how of ["exit", "return", "child"]) {
    const more = how === "child" ? 1 : 0; // the parent's last one; the child's is nobody's
    Deno.test(
      `A program that destroys nothing and ends by ${how} leaves no noted call unheard, through ${kind}`,
      NEEDS_PROGRAMS,
      () =>
        withFolderAsync(async (folder) => {
          assertEquals(await heardOf(how, addressIn(folder)), { code: 0, calls: EACH * (BUFFERS + more), said: [] });
        }),
    );
  }

  for (const [how, code] of [["_exit", 0], ["SIGKILL", 137]] as const) {
    Deno.test(
      `A program that is cut off by ${how} leaves what it had noted, and the server says what may be missing, through ${kind}`,
      NEEDS_PROGRAMS,
      () =>
        withFolderAsync(async (folder) => {
          const heard = await heardOf(how, addressIn(folder));
          assertEquals(heard.code, code);
          if (kind === "memory") return assertEquals([heard.calls, heard.said], [EACH * BUFFERS, []]);
          assert(heard.calls <= EACH * BUFFERS && heard.calls > EACH * BUFFERS - 32, `${heard.calls} calls`);
          assertEquals(heard.said.length, 1);
          assertMatch(heard.said[0], /^process 1 ended without a leave .* up to 31 may be missing/);
        }),
    );
  }
}

for (const kind of ["unix", "tcp"] as const) {
  Deno.test(
    `A program whose server stands still ends by exit all the same, and the server says what may be missing, through ${kind}`,
    NEEDS_PROGRAMS,
    () =>
      withFolder((folder) => {
        const listen = kind === "tcp" ? "tcp:127.0.0.1:0" : `unix:${folder}/socket`, buffers = 20_000;
        const args = ["record", listen, HOSTILE, "ends", `${buffers}`, "exit", "stopped"];
        // no answer is waited for too long, so that a program that waited for the server would wait for ever
        const flags = ["--allow-net", "--allow-sys"];
        const { code, stdout, output } = runProgram("tests/workbench/layer_server/recording.ts", args, {
          flags,
          seconds: 120,
        });
        assertEquals(code, 0, output);
        const { served, calls, lost, said } = JSON.parse(stdout);
        assertEquals([served, said.length], [{ code: 0, stdout: "", stderr: "" }, 1]);
        assert(calls > 0 && calls + lost < 2 * buffers, `${calls} calls, ${lost} lost`);
      }),
  );
}
