import { assert, assertEquals } from "@std/assert";
import { glesKind } from "../../../workbench/layer_server/gles/gles_kind.ts";
import { stackedArguments } from "../../../workbench/layer_server/commands.ts";
import { TIMED_STACK_MOST } from "../../../workbench/layer_server/library/timed.ts";
import { VULKAN } from "../../../workbench/layer_server/serve_layers.ts";
import { apiProfile, serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { compileProgram } from "../../support/compile.ts";
import { runProgram } from "../../support/subprocess.ts";
import { APP, NEEDS_PROGRAMS, runServed } from "./programs.ts";

const HOSTILE = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_hostile")!;

for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
  const road = listen ? "a socket" : "shared memory";
  Deno.test(
    `serveLayers() with apiProfile: calls are timed in the program, all threads and results included, through ${road}`,
    NEEDS_PROGRAMS,
    async () => {
      const profile = apiProfile();
      await using server = await serveLayers({ layers: [profile.layer], listen });
      assertEquals(await runServed(server, [APP!, "threads", "5"]), { code: 0, stdout: "500 buffers\n", stderr: "" });
      assertEquals((await runServed(server, [APP!, "results", "3"])).stdout, "1024 1024 1024 \n");
      server.drain();
      const rows = new Map(profile.rows().map((row) => [row.command, row]));
      for (const command of ["vkCreateBuffer", "vkGetBufferMemoryRequirements", "vkDestroyBuffer"]) {
        const { calls, milliseconds } = rows.get(command)!;
        assertEquals(calls + server.lostCalls, 503, command);
        assert(milliseconds > 0 && milliseconds < 60_000, `${milliseconds} ms`);
      }
      assertEquals([rows.get("vkCreateInstance")!.calls, rows.get("vkDestroyDevice")!.calls], [2, 2]);
    },
  );
}

Deno.test("the frame in which calls are timed has room for the arguments of every command", () => {
  for (const kind of [VULKAN, glesKind()] as const) {
    for (const processor of ["x86_64", "aarch64"] as const) {
      const most = Math.max(...kind.names().map((name) => stackedArguments(kind.signatureOf(name), processor)));
      assert(most > 0 && most < TIMED_STACK_MOST, `${most} arguments on the stack`);
    }
  }
});

Deno.test(
  "serveLayers() with apiProfile above a layer that hooks: what the other hooks waits, and is counted once",
  NEEDS_PROGRAMS,
  async () => {
    const profile = apiProfile();
    let created = 0;
    const counter = defineLayer({
      name: "VK_LAYER_TEST_counter",
      commands: {
        vkCreateBuffer(next, ...args) {
          created++;
          return next(...args);
        },
      },
    });
    await using server = await serveLayers({ layers: [profile.layer, counter] });
    assertEquals((await runServed(server, [APP!, "buffers", "20"])).code, 0);
    server.drain();
    const calls = (command: string) => profile.rows().find((row) => row.command === command)?.calls;
    assertEquals([created, calls("vkCreateBuffer"), calls("vkDestroyBuffer")], [20, 20, 20]);
  },
);

Deno.test(
  "serveLayers() with apiProfile counts every call of a program that makes more than there is room for notes",
  NEEDS_PROGRAMS,
  async () => {
    const profile = apiProfile(), buffers = 20_000;
    const server = await serveLayers({ layers: [profile.layer] });
    assertEquals((await runServed(server, [APP!, "buffers", `${buffers}`])).stdout, `${buffers * 1024} bytes\n`);
    await server.close();
    const calls = profile.rows().filter(({ command }) => command.includes("Buffer")).map(({ calls }) => calls);
    assertEquals([calls, server.lostCalls], [[buffers, buffers, buffers], 0]);
  },
);

Deno.test(
  "serveLayers() with apiProfile: a program goes on while its server stands still, as long as there is room for notes",
  NEEDS_PROGRAMS,
  () => {
    const args = ["profile", "tcp:127.0.0.1:0", HOSTILE, "stopped", "500"], flags = ["--allow-net", "--allow-sys"];
    const { code, stdout, output } = runProgram("tests/workbench/layer_server/recording.ts", args, {
      flags,
      seconds: 120,
    });
    assertEquals(code, 0, output);
    const { served, calls, lost } = JSON.parse(stdout);
    assertEquals([served, calls, lost], [{ code: 0, stdout: "", stderr: "" }, 1000, 0]);
  },
);
