import { assert, assertEquals } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { APP, NEEDS_PROGRAMS, runServed } from "./programs.ts";

/** Serves a layer that counts calls, runs threads that wait, and returns what was seen. */
async function countWaits(threads: number, listen?: string) {
  const seen = new Map<string, number>(), said: string[] = [];
  const counting = defineLayer({
    name: "VK_LAYER_TEST_counting",
    anyCommand: (command) => (next, ...args) => {
      seen.set(command, (seen.get(command) ?? 0) + 1);
      return next(...args);
    },
  });
  const server = await serveLayers({ layers: [counting], listen, log: (line) => said.push(line) });
  const { code, stdout } = await runServed(server, [APP!, "waits", `${threads}`]);
  await server.close();
  const of = (command: string) => seen.get(command) ?? 0;
  const lines = said.filter((line) => line.includes("vkWaitForFences")).length;
  return { code, stdout, buffers: of("vkCreateBuffer"), waits: of("vkWaitForFences"), lost: server.lostCalls, lines };
}

Deno.test(
  "all calls are seen while 63, 64 or 200 threads of a program wait, and like lines are one",
  NEEDS_PROGRAMS,
  async () => {
    for (const threads of [63, 64, 200]) {
      const stdout = `${threads} waits timed out, 100 buffers\n`;
      const { lines, ...found } = await countWaits(threads);
      assertEquals(found, { code: 0, stdout, buffers: 100, waits: threads, lost: 0 });
      assert(lines <= 2, `${lines} lines`);
    }
  },
);

for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
  Deno.test(
    `of 1000 threads that wait, calls that no layer can see are counted, through ${listen ?? "shared memory"}`,
    NEEDS_PROGRAMS,
    async () => {
      const { code, stdout, buffers, waits, lost } = await countWaits(1000, listen);
      assertEquals({ code, stdout }, { code: 0, stdout: "1000 waits timed out, 100 buffers\n" });
      // each buffer takes three calls, of which the layer sees as many as waits leave room for
      assertEquals(waits + buffers + lost - (100 - buffers) * 2, 1100);
    },
  );
}
