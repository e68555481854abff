import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { serveLayers } from "../../../loader/layers.ts";
import { defineLayer, type ForeignCall } from "../../../loader/mod.ts";
import { compileProgram } from "../../support/compile.ts";
import { APP, NEEDS_PROGRAMS, runServed } from "./programs.ts";

const HOSTILE = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_hostile")!;

/** A layer that hears of calls, and notes which hooks ran. */
function hearing() {
  const calls: ForeignCall[] = [], hooked: string[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_hearing",
    anyCommand: (name) => (next, ...args) => {
      hooked.push(name);
      return next(...args);
    },
    recorded: (call) => calls.push(call),
  });
  return { calls, hooked, layer };
}

Deno.test(
  "serveLayers() with the policy record: calls of all threads are heard of later, in the order of each thread",
  NEEDS_PROGRAMS,
  async () => {
    const { layer, calls, hooked } = hearing();
    await using server = await serveLayers({ layers: [layer], policies: "record" });
    assertEquals((await runServed(server, [APP!, "threads", "5"])).stdout, "500 buffers\n");
    server.drain();
    assertEquals([...new Set(hooked)].sort(), [
      "vkCreateDevice",
      "vkCreateInstance",
      "vkDestroyDevice",
      "vkDestroyInstance",
    ]);
    assertEquals(server.lostCalls, 0);
    const threads = Map.groupBy(calls.filter(({ command }) => command.endsWith("Buffer")), ({ tid }) => tid);
    assertEquals([...threads.values()].map(({ length }) => length), Array(5).fill(200));
    for (const own of threads.values()) {
      own.forEach(({ command, time, args: [device], lost }, index) => {
        assertEquals([command, lost], [index % 2 === 0 ? "vkCreateBuffer" : "vkDestroyBuffer", 0]);
        assert(time >= (own[index - 1]?.time ?? 1));
        assertEquals(device, own[0].args[0]);
      });
    }
    assertEquals(new Set(calls.map(({ thread }) => thread)).size, new Set(calls.map(({ tid }) => tid)).size);
  },
);

Deno.test(
  "serveLayers() with policies by command: skip, record and block, and losses are counted, never waited for",
  NEEDS_PROGRAMS,
  async () => {
    const { layer, calls, hooked } = hearing(), buffers = 12_000;
    const server = await serveLayers({
      layers: [layer],
      policies: { vkCreateBuffer: "record", vkDestroyBuffer: "record", vkGetBufferMemoryRequirements: "skip" },
    });
    const { stdout } = await runServed(server, [APP!, "buffers", `${buffers}`]);
    await server.close();
    assertEquals(stdout, `${buffers * 1024} bytes\n`);
    assertEquals(calls.length + server.lostCalls, 2 * buffers);
    assert(hooked.includes("vkEnumeratePhysicalDevices") && !hooked.some((name) => name.includes("Buffer")));
    assertEquals(server.drain(), 0);
    assertThrows(() => server.detach(defineLayer({ name: "VK_LAYER_TEST_other" })), TypeError);
    await assertRejects(() => serveLayers({ layers: [], policies: "later" as never }), TypeError, 'policy "later"');
  },
);

Deno.test(
  "serveLayers() with the policy record tells threads apart that follow each other, and hears nothing of a child's calls",
  NEEDS_PROGRAMS,
  async () => {
    const { layer, calls } = hearing();
    await using server = await serveLayers({ layers: [layer], policies: { vkCreateBuffer: "record" } });
    const { stdout, stderr } = await runServed(server, [HOSTILE, "turns", "300"]);
    server.drain();
    assertEquals([calls.map(({ tid }) => `${tid}\n`).join(""), stderr], [stdout, ""]);
    assert(calls.every(({ time }, index) => time >= (calls[index - 1]?.time ?? 1)));
    calls.length = 0;
    assertEquals((await runServed(server, [HOSTILE, "fork"])).code, 0);
    server.drain();
    assertEquals(calls.length, 3);
  },
);
