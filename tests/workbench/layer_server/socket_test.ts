import { assert, assertEquals } from "@std/assert";
import { type LayerServer, serveLayers } from "../../../workbench/layers.ts";
import { apiTrace, type TraceLine } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { VK_ERROR_OUT_OF_DEVICE_MEMORY } from "../../../loader/vk.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { openFiles } from "../../support/open_files.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { numberedCommands } from "../../../workbench/layer_server/commands.ts";
import { keyIn, portOf } from "./fake_program.ts";
import { APP, NEEDS_PROGRAMS, runServed, untilLeft } from "./programs.ts";

/** Doubles the sizes of buffers, and refuses each fourth one. */
function changing() {
  const sizes: bigint[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_changing",
    onCreate: { VkDevice: () => ({ made: 0 }) },
    commands: {
      vkCreateBuffer(next, device, pCreateInfo, pAllocator, pBuffer) {
        const info = this.read("VkBufferCreateInfo", pCreateInfo), state = this.state.VkDevice(device);
        sizes.push(info.size);
        if (++state.made % 4 === 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const wanted = this.write("VkBufferCreateInfo", { ...info, size: info.size * 2n });
        return next(device, wanted, pAllocator, pBuffer);
      },
      vkGetBufferMemoryRequirements(next, device, buffer, pMemoryRequirements) {
        this.below(device).vkGetBufferMemoryRequirements(device, buffer, pMemoryRequirements);
        next(device, buffer, pMemoryRequirements);
      },
    },
  });
  return { layer, sizes };
}

for (const kind of ["tcp", "unix", "abstract"] as const) {
  Deno.test(
    `serveLayers({ listen: "${kind}:..." }) lets hooks answer programs through sockets`,
    NEEDS_PROGRAMS,
    () =>
      withFolderAsync(async (folder) => {
        const place = { tcp: "tcp:127.0.0.1:0", unix: `unix:${folder}/socket`, abstract: `abstract:${folder}` }[kind];
        const { layer, sizes } = changing();
        await using server = await serveLayers({ layers: [layer], listen: place });
        const done = await runServed(server, [APP!, "results", "5"]);
        assertEquals(done, { code: 0, stdout: "2048 2048 2048 -2 2048 \n", stderr: "" });
        assertEquals(sizes, Array(5).fill(1024n));
        if (kind !== "tcp") return;
        assertEquals((await runServed(server, [APP!, "threads", "5"])).code, 0);
        await untilLeft(server);
        assertEquals([sizes.length, server.connected], [505, 2]);
      }),
  );
}

Deno.test("serveLayers({ listen }) traces vulkaninfo as the shared memory does", NEEDS_PROGRAMS, async () => {
  const outputs: string[] = [], traces: string[][] = [];
  for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
    const lines: TraceLine[] = [];
    const trace = apiTrace({ write: (line) => lines.push(JSON.parse(line)) });
    await using server = await serveLayers({ layers: [trace.layer], listen });
    const { code, stdout } = await runServed(server, ["vulkaninfo"]);
    assertEquals(code, 0);
    outputs.push(stdout);
    traces.push(lines.map((line) => JSON.stringify("command" in line && line.command)));
  }
  assert(traces[0].length > 100, `${traces[0].length} lines`);
  assertEquals(traces[1], traces[0]);
  assertEquals(outputs[1], outputs[0]);
});

Deno.test("serveLayers({ listen }) answers a hook that passes on in two round trips", async () => {
  const passing = defineLayer({
    name: "VK_LAYER_TEST_passing",
    commands: { vkGetFenceStatus: (next, ...args) => next(...args) },
  });
  await using server = await serveLayers({ layers: [passing], listen: "tcp:127.0.0.1:0" });
  const worker = new Worker(new URL("./fake_program_worker.ts", import.meta.url), { type: "module" });
  const said = new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
  const command = numberedCommands().indexOf("vkGetFenceStatus"), args = [0x1000n, 0x2000n];
  worker.postMessage({ port: portOf(server), key: keyIn(server), command, args });
  assertEquals(await said, { result: 7n, orders: ["request", "over"] });
  worker.terminate();
});

Deno.test("serveLayers({ listen }) leaves nothing behind on either side", NEEDS_PROGRAMS, async () => {
  const passing = defineLayer({ name: "VK_LAYER_TEST_passing", anyCommand: () => (next, ...args) => next(...args) });
  const round = () =>
    withFolderAsync(async (folder) => {
      await using server = await serveLayers({ layers: [passing], listen: `unix:${folder}/socket` });
      assertEquals((await runServed(server, [APP!, "rounds", "20"])).stdout, "20 rounds, 0 mappings more\n");
      await server.close();
      assertEquals([...Deno.readDirSync(folder)], []);
    });
  await round(); // binds functions
  const before = [openFiles(), openBlocks()];
  await round();
  assertEquals([openFiles(), openBlocks()], before);
});

/** Lets the library of a server connect to another port. */
function redirect(server: LayerServer, port: number): void {
  const path = `${server.folder}/libVkLayer_pumice.so`,
    bytes = Deno.readFileSync(path),
    view = new DataView(bytes.buffer);
  const at = bytes.findIndex((_, index) =>
    index + 8 < bytes.length && view.getUint16(index, true) === 2 &&
    view.getUint16(index + 2) === portOf(server) && view.getUint32(index + 4) === 0x7f00_0001
  );
  view.setUint16(at + 2, port);
  Deno.writeFileSync(path, bytes);
}

/** Returns how many bytes a program says that makes buffers under a layer that is detached at the hundredth. */
async function saidWith(buffers: number): Promise<number> {
  let seen = 0;
  const counting = defineLayer({
    name: "VK_LAYER_TEST_counting",
    commands: {
      vkCreateBuffer(next, ...args) {
        if (++seen === 100) server.detach(counting);
        return next(...args);
      },
    },
  });
  await using server = await serveLayers({ layers: [counting], listen: "tcp:127.0.0.1:0" });
  const worker = new Worker(new URL("./counting_worker.ts", import.meta.url), { type: "module" });
  const asked = () =>
    new Promise<{ port: number; bytes: number }>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage(portOf(server));
    });
  redirect(server, (await asked()).port);
  const { stdout, stderr } = await runServed(server, [APP!, "buffers", `${buffers}`]);
  assertEquals([stdout, stderr, seen], [`${buffers * 1024} bytes\n`, "", 100]);
  const { bytes } = await asked();
  worker.terminate();
  return bytes;
}

Deno.test(
  "serveLayers({ listen }) tells programs to hand over no more once a layer is detached",
  NEEDS_PROGRAMS,
  async () => assertEquals(await saidWith(2000), await saidWith(200)),
);
