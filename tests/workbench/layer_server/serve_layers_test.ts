import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { apiTrace, type TraceLine } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { VK_ERROR_OUT_OF_DEVICE_MEMORY } from "../../../loader/vk.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { openFiles } from "../../support/open_files.ts";
import { APP, NEEDS_PROGRAMS, runIn, runServed } from "./programs.ts";
import { withFolder } from "../../support/temporary.ts";

Deno.test(
  "serveLayers() lets hooks read and change what a program passes, on all of its threads",
  NEEDS_PROGRAMS,
  async () => {
    const sizes: bigint[] = [];
    const larger = defineLayer({
      name: "VK_LAYER_TEST_larger",
      commands: {
        vkCreateBuffer(next, device, pCreateInfo, pAllocator, pBuffer) {
          const info = this.read("VkBufferCreateInfo", pCreateInfo);
          sizes.push(info.size);
          const wanted = this.write("VkBufferCreateInfo", { ...info, size: info.size * 2n });
          return next(device, wanted, pAllocator, pBuffer);
        },
      },
    });
    await using server = await serveLayers({ layers: [larger] });
    assertEquals(await runServed(server, [APP!, "buffers", "3"]), { code: 0, stdout: "6144 bytes\n", stderr: SILENT });
    assertEquals(sizes, [1024n, 1024n, 1024n]);
    assertEquals((await runServed(server, [APP!, "threads", "5"])).stdout, "500 buffers\n");
    assertEquals([sizes.length, server.connected, server.programs], [503, 2, 0]);
  },
);

/** The words of the system's loader about layers of the environment: none. */
const SILENT = "";

Deno.test(
  "serveLayers() lets hooks answer for the driver, skip it, and keep state for objects",
  NEEDS_PROGRAMS,
  async () => {
    const counts: number[] = [];
    const refusing = defineLayer({
      name: "VK_LAYER_TEST_refusing",
      onCreate: { VkDevice: () => ({ made: 0 }) },
      commands: {
        vkCreateBuffer(next, device, ...rest) {
          const state = this.state.VkDevice(device);
          counts.push(++state.made);
          return state.made % 2 === 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : next(device, ...rest);
        },
        vkGetBufferMemoryRequirements(next, device, buffer, pMemoryRequirements) {
          this.below(device).vkGetBufferMemoryRequirements(device, buffer, pMemoryRequirements);
          next(device, buffer, pMemoryRequirements);
        },
      },
    });
    await using server = await serveLayers({ layers: [refusing] });
    for (let time = 0; time < 2; time++) {
      assertEquals((await runServed(server, [APP!, "results", "4"])).stdout, "1024 -2 1024 -2 \n");
    }
    assertEquals(counts, [1, 2, 3, 4, 1, 2, 3, 4]);
  },
);

Deno.test(
  "serveLayers() lets a hook that throws be the command's error, and the program goes on",
  NEEDS_PROGRAMS,
  async () => {
    const errors: string[] = [];
    const broken = defineLayer({
      name: "VK_LAYER_TEST_broken",
      commands: {
        vkCreateBuffer(next, device, ...rest) {
          if (errors.length < 2) throw new Error("no buffers today");
          return next(device, ...rest);
        },
      },
    });
    await using server = await serveLayers({
      layers: [broken],
      onError: (error) => errors.push((error as Error).message),
    });
    assertEquals((await runServed(server, [APP!, "results", "3"])).stdout, "-3 -3 1024 \n");
    assertEquals(errors, Array(2).fill("VK_LAYER_TEST_broken, vkCreateBuffer: no buffers today"));
  },
);

Deno.test(
  "serveLayers() traces vulkaninfo, whose output stays, with every command hooked",
  NEEDS_PROGRAMS,
  async () => {
    const lines: TraceLine[] = [];
    const trace = apiTrace({ write: (line) => lines.push(JSON.parse(line)) });
    await using server = await serveLayers({ layers: [trace.layer, passing()] });
    const plain = withFolder((folder) => {
      Deno.mkdirSync(`${folder}/layers`);
      return runIn(folder, false, ["vulkaninfo"], { VK_ADD_LAYER_PATH: server.folder });
    });
    const traced = await runServed(server, ["vulkaninfo"]);
    assertEquals([traced.code, traced.stdout], [0, plain.stdout]);
    const calls = lines.flatMap((line) => "in" in line ? [line.command] : []);
    assert(calls.length > 50, `${calls.length} calls`);
    assertEquals([calls[0], calls.at(-1)], ["vkCreateInstance", "vkDestroyInstance"]);
    const named = lines.find((line) => "out" in line && line.command === "vkGetPhysicalDeviceProperties");
    assertStringIncludes(JSON.stringify(named), "llvmpipe");
  },
);

function passing() {
  return defineLayer({ name: "VK_LAYER_TEST_passing", anyCommand: () => (next, ...args) => next(...args) });
}

Deno.test("serveLayers() leaves nothing behind: no files, no memory, no folder", NEEDS_PROGRAMS, async () => {
  const round = async (rounds: number) => {
    await using server = await serveLayers({ layers: [passing()] });
    assertEquals(
      (await runServed(server, [APP!, "rounds", `${rounds}`])).stdout,
      `${rounds} rounds, 0 mappings more\n`,
    );
    return server.folder;
  };
  await round(20); // binds functions
  const before = [openFiles(), openBlocks()], folder = await round(200);
  assertEquals([openFiles(), openBlocks()], before);
  await assertRejects(() => Deno.stat(folder), Deno.errors.NotFound);
});

Deno.test(
  "serveLayers() refuses layers that only a loader can serve, a second server, and wrong options",
  NEEDS_PROGRAMS,
  async () => {
    const adding = { name: "VK_LAYER_TEST_adding", deviceExtensions: [{ extensionName: "VK_TEST_x", specVersion: 1 }] };
    await assertRejects(() => serveLayers({ layers: [adding] }), TypeError, "Cannot serve VK_LAYER_TEST_adding");
    await assertRejects(() => serveLayers({ layers: [], timeout: 0 }), TypeError, "Cannot use timeout 0");
    await assertRejects(() => serveLayers({ layer: [] } as never), TypeError, "layer");
    await using _server = await serveLayers({ layers: [] });
    await assertRejects(() => serveLayers({ layers: [] }), TypeError, "Cannot serve layers twice");
  },
);
