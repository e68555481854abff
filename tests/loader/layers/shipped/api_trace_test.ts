import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import {
  apiTrace,
  type ApiTraceOptions,
  type TraceCall,
  type TraceLine,
  type TraceReturn,
  traceText,
} from "../../../../workbench/layers.ts";
import { defineLayer, VulkanError } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openDevice } from "../../../support/device.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";
import { fillAndRead } from "../../fill.ts";
import { type Scripted, withScripted } from "./scripted.ts";

/** The trace of the calls of `use`. */
function traced(use: (scripted: Scripted) => void, options: ApiTraceOptions = {}, spec = {}): TraceLine[] {
  const lines: string[] = [];
  using trace = apiTrace({ write: (line) => lines.push(line), ...options });
  withScripted([trace.layer], (scripted) => {
    lines.length = 1;
    use(scripted);
    trace.enabled = false;
  }, spec);
  assertEquals(trace.error, undefined);
  return lines.map((line) => JSON.parse(line));
}

/** The calls and their outcomes. */
function halves(lines: readonly TraceLine[]): { calls: TraceCall[]; returns: TraceReturn[] } {
  return {
    calls: lines.filter((line) => "in" in line),
    returns: lines.filter((line) => "out" in line),
  };
}

Deno.test("apiTrace() writes a call's inputs before it and its outputs after it", () => {
  const seen: number[] = [], lines: string[] = [];
  using trace = apiTrace({ write: (line) => lines.push(line) });
  withScripted([trace.layer], ({ device }) => {
    lines.length = 1;
    const buffer = device.vkCreateBuffer({ size: 2n ** 40n, usage: 0x22 });
    const [header, call, back] = lines.slice(0, 3).map((line) => JSON.parse(line));
    assertEquals(header, { schema: "pumice-api-trace", version: 1 });
    assertEquals(seen, [2]);
    const hex = (value: bigint) => `0x${value.toString(16)}`;
    const pCreateInfo = { flags: 0, size: "1099511627776", usage: 0x22, sharingMode: 0, queueFamilyIndexCount: 0 };
    assertEquals(call.in, {
      device: hex(device.handle),
      pCreateInfo: { ...pCreateInfo, pQueueFamilyIndices: null },
      pAllocator: null,
    });
    assertEquals([call.command, back.command, back.call], ["vkCreateBuffer", "vkCreateBuffer", call.call]);
    assertEquals([back.out, back.result], [{ pBuffer: hex(buffer as bigint) }, 0]);
    assert(back.us > 0 && back.us < 1e6);
    device.vkDestroyBuffer(buffer);
  }, { commands: { vkCreateBuffer: (next, ...args) => (seen.push(lines.length), next(...args)) } });
});

Deno.test("apiTrace() shows the room in a list, then what was filled in", () => {
  const { calls, returns } = halves(traced(({ gpu }) => gpu.vkEnumerateDeviceExtensionProperties(null), {}, {
    physicalDevices: [{ extensions: ["VK_KHR_swapchain"] }],
  }));
  assertEquals(calls.map((call) => call.in.pPropertyCount), [undefined, 1]);
  assertEquals(returns.map(({ out }) => out), [
    { pPropertyCount: 1, pProperties: null },
    { pPropertyCount: 1, pProperties: [{ extensionName: "VK_KHR_swapchain", specVersion: 70 }] },
  ]);
});

Deno.test("apiTrace() shows arrays, bytes, texts and lists as long as their struct says", () => {
  const { calls, returns } = halves(traced(({ device }) => {
    const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
    commands.vkCmdSetBlendConstants([0.5, -0, 1, NaN]);
    commands.vkCmdPushConstants(7n as never, 1, 0, new Uint8Array([1, 2, 255]));
    device.vkWaitForFences([5n as never, 6n as never], true, 3n);
    device.vkDestroyCommandPool(pool);
  }));
  const of = (name: string) => calls.find(({ command }) => command === name)!.in;
  assertEquals(of("vkCmdSetBlendConstants").blendConstants, [0.5, "-0", 1, "NaN"]);
  assertEquals(of("vkCmdPushConstants").pValues, { bytes: "0102ff" });
  assertEquals(of("vkWaitForFences").pFences, ["0x5", "0x6"]);
  assertEquals([of("vkWaitForFences").waitAll, of("vkWaitForFences").timeout], [true, "3"]);
  const { out } = returns.find(({ command }) => command === "vkAllocateCommandBuffers")!;
  assertEquals((out.pCommandBuffers as string[]).length, 1);
});

Deno.test("apiTrace() shows chains on both sides of a call", () => {
  const { calls, returns } = halves(traced(({ gpu, device }) => {
    gpu.vkGetPhysicalDeviceFeatures2([{ sType: 1000059000 + 3 } as never]);
    device.vkCreateSemaphore({ pNext: [{ sType: 1000207002, semaphoreType: 1, initialValue: 9n }] });
  }));
  const { pCreateInfo } = calls.find(({ command }) => command === "vkCreateSemaphore")!.in;
  assertEquals(pCreateInfo, { flags: 0, pNext: [{ sType: 1000207002, semaphoreType: 1, initialValue: "9" }] });
  const { pFeatures } = returns.find(({ command }) => command === "vkGetPhysicalDeviceFeatures2")!.out;
  assert(JSON.stringify(pFeatures).includes('"robustBufferAccess":false'));
});

Deno.test("apiTrace() leaves commands alone that the predicate does not want", () => {
  const lines: string[] = [];
  using trace = apiTrace({ write: (line) => lines.push(line), predicate: (command) => /Event$/.test(command) });
  assertEquals(trace.layer.anyCommand!("vkQueueSubmit"), undefined);
  withScripted([trace.layer], ({ device }) => device.vkDestroyEvent(device.vkCreateEvent({})));
  assertEquals(halves(lines.map((line) => JSON.parse(line))).calls.map(({ command }) => command), [
    "vkCreateEvent",
    "vkDestroyEvent",
  ]);
});

Deno.test("apiTrace() writes only the frames it is asked for, by presents or by submissions", () => {
  const swapchain = { physicalDevices: [{ extensions: ["VK_KHR_swapchain"] }] };
  const frames = (options: ApiTraceOptions) =>
    halves(traced(
      ({ device }) => {
        const queue = device.vkGetDeviceQueue(0, 0);
        for (let frame = 0; frame < 5; frame++) {
          device.vkDestroyEvent(device.vkCreateEvent({}));
          queue.vkQueueSubmit([]);
          queue.vkQueueSubmit([]);
          queue.vkQueuePresentKHR({ pSwapchains: [], pImageIndices: [] });
        }
      },
      options,
      swapchain,
    )).calls.map(({ command, frame }) => `${frame} ${command.slice(2)}`);
  const one = ["CreateEvent", "DestroyEvent", "QueueSubmit", "QueueSubmit", "QueuePresentKHR"];
  assertEquals(frames({ frames: [1, 2] }), [1, 2].flatMap((frame) => one.map((name) => `${frame} ${name}`)));
  assertEquals(frames({ frames: [3, 4], frameEnd: "submit" }), [
    "3 QueueSubmit",
    "4 QueuePresentKHR",
    "4 CreateEvent",
    "4 DestroyEvent",
    "4 QueueSubmit",
  ]);
  assertEquals(frames({ frames: [1, 1], predicate: (name) => name === "vkCreateEvent" }), ["1 CreateEvent"]);
});

Deno.test("apiTrace() can be switched off and on while the program runs", () => {
  const lines: string[] = [];
  using trace = apiTrace({ write: (line) => lines.push(line) });
  withScripted([trace.layer], ({ device }) => {
    trace.enabled = false;
    lines.length = 0;
    device.vkDeviceWaitIdle();
    assertEquals(lines, []);
    trace.enabled = true;
    device.vkDeviceWaitIdle();
    assertEquals(lines.length, 2);
  });
});

Deno.test("apiTrace() says what failed and what was thrown, and passes both on", () => {
  const angry = defineLayer({
    name: "VK_LAYER_TEST_angry",
    commands: {
      vkDeviceWaitIdle() {
        throw new RangeError("no more");
      },
    },
  });
  const lines: TraceLine[] = [];
  using trace = apiTrace({ write: (line) => lines.push(JSON.parse(line)) });
  withScripted([trace.layer, angry], ({ device }) => {
    lines.length = 0;
    assertThrows(() => device.vkDeviceWaitIdle(), RangeError, "no more");
    assertThrows(() => device.vkCreateEvent({}), VulkanError);
    const { returns } = halves(lines);
    assertEquals(returns.map(({ threw, result, out }) => [threw, result, out]), [
      ["RangeError: VK_LAYER_TEST_angry, vkDeviceWaitIdle: no more", undefined, {}],
      [undefined, -2, {}],
    ]);
  }, { commands: { vkCreateEvent: () => -2 } });
});

Deno.test("apiTrace() lets the program go on when a line cannot be written or an argument cannot be read", () => {
  using broken = apiTrace({
    write(line) {
      if (line.includes("vkCreateEvent")) throw new Error("full");
    },
  });
  withScripted([broken.layer], ({ device }) => device.vkDestroyEvent(device.vkCreateEvent({})));
  assertEquals((broken.error as Error).message, "full");
  const { calls } = halves(traced(({ device }) => {
    const memory = arena(), mark = memory.mark(), ring = memory.alloc(32);
    memory.bytes.fill(0, ring, ring + 32);
    memory.view.setInt32(ring, 10, true); // VK_STRUCTURE_TYPE_EVENT_CREATE_INFO
    memory.view.setBigUint64(ring + 8, memory.address(ring), true);
    device.raw.vkCreateEvent(device.handle, memory.address(ring), 0n, memory.address(memory.alloc(8)));
    memory.release(mark);
  }));
  assertMatch(calls[0].in.unreadable as string, /ring/);
});

Deno.test("apiTrace() has every line in the file before the call goes on, whatever its length", () => {
  withFolder((folder) => {
    const path = `${folder}/ä trace.jsonl`, name = "é🌋".repeat(60_000);
    let last = "";
    using trace = apiTrace({ path });
    withScripted([trace.layer], ({ device }) => {
      device.vkCreateShaderModule({ pCode: new Uint32Array(100_000).fill(4_000_000_000) });
      const pStages = [{ stage: 32, module: 1n as never, pName: name }] as const;
      device.vkCreateComputePipelines(null, [{ stage: pStages[0], layout: 1n as never }]);
    }, {
      commands: {
        vkCreateComputePipelines(next, ...args) {
          last = Deno.readTextFileSync(path).trimEnd().split("\n").at(-1)!;
          return next(...args);
        },
      },
    });
    assertEquals((JSON.parse(last) as TraceCall).command, "vkCreateComputePipelines");
    assert(last.includes(name), "the name is not whole");
    const lines = Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => JSON.parse(line));
    const module = halves(lines).calls.find(({ command }) => command === "vkCreateShaderModule")!;
    assertEquals((module.in.pCreateInfo as { pCode: number[] }).pCode, Array(100_000).fill(4_000_000_000));
  });
});

Deno.test("apiTrace() leaves the last call in the file when the process dies in it", async () => {
  const folder = Deno.makeTempDirSync(), path = `${folder}/crash.jsonl`;
  const { code, stderr } = runProgram("tests/loader/layers/shipped/programs/crash.ts", [path]);
  assert(code !== 0, stderr);
  const text = await traceText(Deno.readTextFileSync(path).split("\n"));
  assertMatch(text.at(-1)!, /vkDeviceWaitIdle\(device=0x[0-9a-f]+\) did not return$/);
  assertEquals(text.filter((line) => line.endsWith("did not return")).length, 1);
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("apiTrace() refuses options that say nothing", () => {
  assertThrows(() => apiTrace({}), TypeError, "`write`");
  assertThrows(() => apiTrace({ path: "x", write() {} }), TypeError, "either");
  assertThrows(() => apiTrace({ write() {}, frames: [3, 2] }), TypeError, "frames 3 to 2");
  assertThrows(() => apiTrace({ path: "/no/such/folder/x" }), Deno.errors.NotFound);
});

Deno.test("apiTrace() reads all that a program does on lavapipe", needs("Mesa lavapipe", lavapipePath()), async () => {
  const lines: string[] = [];
  using trace = apiTrace({ write: (line) => lines.push(line) });
  using open = openDevice({ driver: lavapipePath()!, layers: [trace.layer] });
  assertEquals(fillAndRead(open.instance, 0xabcd), 0xabcd);
  assertEquals([trace.error, lines.filter((line) => line.includes("unreadable"))], [undefined, []]);
  const text = await traceText(lines);
  assert(text.every((line) => !line.includes("did not return")));
  const fill = text.find((line) => line.includes("vkCmdFillBuffer"))!;
  assertMatch(fill, /^#\d+ frame 0: vkCmdFillBuffer\(commandBuffer=0x\w+, dstBuffer=0x\w+, .*size=65536, data=43981\)/);
});

Deno.test("traceText() names enums, flags, structs of a chain, results and strings", async () => {
  const lines = traced(
    ({ device }) => {
      device.vkCreateBuffer({ size: 4n, usage: 0x40000022, pNext: [{ sType: 1000072000, handleTypes: 3 }] });
      device.vkCreateImage({
        imageType: 1,
        format: 37,
        extent: { width: 1, height: 1, depth: 1 },
        mipLevels: 1,
        arrayLayers: 1,
        samples: 1,
        usage: 1,
      });
      device.vkWaitForFences([5n as never], true, 3n);
    },
    {},
    { commands: { vkWaitForFences: () => 2 } },
  );
  const [buffer, image, wait] = await traceText(lines);
  const usage = "VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | 0x40000000";
  assert(buffer.includes(`usage=${usage}`), buffer);
  assert(buffer.includes("pNext=[VkExternalMemoryBufferCreateInfo{handleTypes=VK_EXTERNAL_MEMORY_HANDLE_TYPE"), buffer);
  assert(image.includes("format=VK_FORMAT_R8G8B8A8_UNORM") && image.includes("samples=VK_SAMPLE_COUNT_1_BIT"), image);
  assert(wait.includes("waitAll=true, timeout=3) = VK_TIMEOUT ("), wait);
});

Deno.test("traceText() refuses what is no trace", async () => {
  const refuse = async (lines: string[]) => {
    try {
      await traceText(lines);
    } catch (error) {
      return error;
    }
  };
  assert(await refuse(['{"schema":"other"}']) instanceof TypeError);
  assert(await refuse(['{"schema":"pumice-api-trace","version":2}']) instanceof TypeError);
  assert(await refuse(["not JSON"]) instanceof SyntaxError);
  const header = '{"schema":"pumice-api-trace","version":1}',
    deep = JSON.stringify(Array(99).fill(0).reduce((it) => [it]));
  const lines = [
    "null",
    "[]",
    '{"call":1}',
    '{"call":"1","command":"vkX","in":{}}',
    '{"call":1,"command":"vkX","in":null}',
  ];
  for (const line of [...lines, `{"call":1,"command":"vkX","in":{"a":${deep}}}`]) {
    assertMatch(String(await refuse([header, "", line])), /^TypeError: Cannot read line 3 of the trace: /);
  }
  const odd = { call: 1, command: "vkCreateBuffer", in: { pCreateInfo: { sharingMode: "~", usage: 0.5 } }, frame: 0 };
  assertEquals(await traceText([header, JSON.stringify(odd)]), [
    "#1 frame 0: vkCreateBuffer(pCreateInfo={sharingMode=~, usage=0.5}) did not return",
  ]);
  assertEquals(await traceText([]), []);
});
