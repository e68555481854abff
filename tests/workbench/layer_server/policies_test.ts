import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer, type ForeignCall } from "../../../loader/mod.ts";
import { compileProgram } from "../../support/compile.ts";
import { withFolder, withFolderAsync } from "../../support/temporary.ts";
import { runProgram } from "../../support/subprocess.ts";
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

/** The roads: shared memory, and sockets. */
const ROADS: Readonly<Record<string, (folder: string) => string | undefined>> = {
  "through shared memory": () => undefined,
  "through TCP": () => "tcp:127.0.0.1:0",
  "through a unix socket": (folder) => `unix:${folder}/socket`,
};

/** A test on each road. */
function onEach(name: string, test: (listen: string | undefined) => Promise<void>): void {
  for (const [road, listen] of Object.entries(ROADS)) {
    Deno.test(`${name}, ${road}`, NEEDS_PROGRAMS, () => withFolderAsync((folder) => test(listen(folder))));
  }
}

onEach(
  "serveLayers() with the policy record: calls of all threads are heard of later, in the order of each thread",
  async (listen) => {
    const { layer, calls, hooked } = hearing();
    await using server = await serveLayers({ layers: [layer], listen, policies: "record" });
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

onEach(
  "serveLayers() with policies by command: skip, record and block, and losses are counted, never waited for",
  async (listen) => {
    const { layer, calls, hooked } = hearing(), buffers = 12_000;
    const server = await serveLayers({
      layers: [layer],
      listen,
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

onEach(
  "serveLayers() with the policy record tells threads apart that follow each other, and hears nothing of a child's calls",
  async (listen) => {
    const { layer, calls } = hearing();
    await using server = await serveLayers({ layers: [layer], listen, policies: { vkCreateBuffer: "record" } });
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

onEach(
  "serveLayers() with the policy record copies what it names, as far as there is memory and room, and says how much that is",
  async (listen) => {
    const { layer, calls } = hearing(), record = ["pCreateInfo", "pCreateInfo.pQueueFamilyIndices"];
    await using server = await serveLayers({ layers: [layer], listen, policies: { vkCreateBuffer: { record } } });
    for (const isRefused of [0, 1]) { // a container may let the kernel copy nothing
      assertEquals(await runServed(server, [HOSTILE, "lists", `${isRefused}`]), { code: 0, stdout: "", stderr: "" });
    }
    server.drain();
    const most = 392; // bytes of a list, beside a VkBufferCreateInfo of 56
    const rows: readonly [size: number, copied: number, first: number | undefined][] = [
      [8, 8, 7],
      [4000, most, 7],
      [16_000_000_000, most, 7],
      [0, 0, undefined],
      [8, 0, undefined],
      [8, 4, 9],
    ];
    assertEquals(calls.length, 2 * rows.length);
    for (const [index, { args, copies }] of calls.entries()) {
      const [info, list] = copies!, { members } = info;
      assertEquals([info.path, info.address, info.size, info.bytes.length], ["pCreateInfo", args[1], 56, 56]);
      assertEquals([members.sType, members.pNext, members.size, members.usage], [12, 0n, 64n, 1]);
      assertEquals([list.path, list.address, list.members], [record[1], members.pQueueFamilyIndices, {}]);
      const first = list.bytes.length > 0 ? new Uint32Array(list.bytes.buffer)[0] : undefined;
      assertEquals([list.size, list.bytes.length, first], rows[index % rows.length]);
    }
  },
);

for (const kind of ["tcp", "unix"] as const) {
  Deno.test(
    `serveLayers() with the policy record never holds up a program whose server stands still, and counts losses, through ${kind}`,
    NEEDS_PROGRAMS,
    () =>
      withFolder((folder) => {
        const listen = kind === "tcp" ? "tcp:127.0.0.1:0" : `unix:${folder}/socket`, buffers = 20_000;
        const args = ["record", listen, HOSTILE, "stopped", `${buffers}`];
        // no answer is waited for too long, so that a program that waited would wait for ever
        const flags = ["--allow-net", "--allow-sys"];
        const { code, stdout, output } = runProgram("tests/workbench/layer_server/recording.ts", args, {
          flags,
          seconds: 120,
        });
        assertEquals(code, 0, output);
        const { served, calls, lost } = JSON.parse(stdout);
        assertEquals(served, { code: 0, stdout: "", stderr: "" });
        assert(lost > 0 && calls > 8192, `${calls} calls, ${lost} lost`);
        assertEquals(calls + lost, 2 * buffers);
      }),
  );
}

Deno.test("serveLayers() refuses what cannot be copied, and says what can", NEEDS_PROGRAMS, async () => {
  const rows: readonly [record: string[], message: string][] = [
    [["pInfo"], "there are pCreateInfo, pAllocator, pBuffer"],
    [["device"], "it is no pointer"],
    [["pCreateInfo.pQueueFamilyIndices"], "name pCreateInfo before it"],
    [["pCreateInfo", "pCreateInfo.size"], "it is no pointer"],
    [["pCreateInfo", "pCreateInfo.pNext"], "the registry does not say its size"],
    [Array(9).fill("pCreateInfo"), "at most 8"],
  ];
  for (const [record, message] of rows) {
    const policies = { vkCreateBuffer: { record } };
    await assertRejects(() => serveLayers({ layers: [], policies }), TypeError, message);
  }
  const other = { vkCreateNothing: { record: [] } } as never;
  await assertRejects(() => serveLayers({ layers: [], policies: other }), TypeError, "no such command");
});
