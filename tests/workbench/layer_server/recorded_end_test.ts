import { assert, assertEquals } from "@std/assert";
import { apiRecording, readRecording, serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { readFile } from "../../support/open_files.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { APP, environment, NEEDS_PROGRAMS } from "./programs.ts";

/** Ends a process, and waits until it has no memory. It may still count as a process then. */
function end(pid: number): void {
  Deno.kill(pid, "SIGKILL");
  const last = performance.now() + 10_000;
  while (readFile(`/proc/${pid}/maps`) !== "" && performance.now() < last);
}

Deno.test(
  "apiRecording() has no fault and no gap for a program that ends before its call is read",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      const path = `${folder}/ended.jsonl`;
      let buffers = 0, pid = 0;
      const ending = defineLayer({
        name: "VK_LAYER_TEST_ending",
        commands: {
          vkCreateBuffer(next, ...args) {
            if (++buffers === 3) end(pid);
            return next(...args);
          },
        },
      });
      using recording = apiRecording({ path });
      const errors: unknown[] = [];
      {
        await using server = await serveLayers({
          layers: [ending, recording.layer],
          onError: (error) => errors.push(error),
        });
        const env = { ...environment(folder), ...server.environment({}) };
        const program = new Deno.Command(APP!, { args: ["buffers", "5"], env, stdout: "null" }).spawn();
        pid = program.pid;
        assertEquals((await program.status).signal, "SIGKILL");
      }
      recording.close();
      assertEquals([recording.error, recording.gaps, errors], [undefined, [], []]);
      const { lines } = readRecording(path); // which refuses a file without its last line
      assertEquals(lines.filter((line) => "command" in line && line.command === "vkCreateBuffer").length, 2);
      assert(buffers === 3);
    }),
);
