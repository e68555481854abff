import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  apiRecording,
  type RecordedCall,
  type RecordedLine,
  RecordingError,
  replayRecording,
} from "../../../../workbench/layers.ts";
import type { DriverSpec } from "../../../../loader/drivers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkPhysicalDevice } from "../../../../loader/types.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";
import { type Scripted, withScripted } from "./scripted.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());

/** The lines between the first and the last, parsed. */
function linesOf(path: string): RecordedLine[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n").slice(1, -1).map((line) => JSON.parse(line));
}

/** The recorded calls of `use` on a driver in TypeScript, without the device's own coming and going. */
function recorded(use: (scripted: Scripted) => void, spec: Partial<DriverSpec> = {}): RecordedCall[] {
  return withFolder((folder) => {
    const path = `${folder}/calls.jsonl`;
    using recording = apiRecording({ path });
    withScripted([recording.layer], use, spec);
    recording.close();
    assertEquals([recording.error, recording.gaps], [undefined, []]);
    const calls = linesOf(path) as RecordedCall[],
      from = calls.findIndex(({ command }) => command === "vkCreateDevice");
    return calls.slice(from + 1, -2);
  });
}

Deno.test("apiRecording() writes a line for each call, with names for handles and without what says nothing", () => {
  const lines = recorded(({ gpu, device }) => {
    gpu.vkGetPhysicalDeviceFeatures();
    const buffers = [1n, 2n].map((size) =>
      device.vkCreateBuffer({ size, usage: 1, pQueueFamilyIndices: [0], sharingMode: 1 })
    );
    for (const buffer of buffers) device.vkDestroyBuffer(buffer);
    device.vkCreateSampler({ maxAnisotropy: NaN });
    const semaphore = { pNext: [{ sType: 1000207002, semaphoreType: 1, initialValue: 9n }] } as const;
    device.vkDestroySemaphore(device.vkCreateSemaphore(semaphore));
  });
  const pCreateInfo = { flags: 0, usage: 1, sharingMode: 1, pQueueFamilyIndices: [0] };
  const device = "VkDevice#1";
  assertEquals(lines.slice(0, 4), [
    {
      command: "vkCreateBuffer",
      args: { device, pCreateInfo: { ...pCreateInfo, size: "1" } },
      out: { pBuffer: "VkBuffer#1" },
    },
    {
      command: "vkCreateBuffer",
      args: { device, pCreateInfo: { ...pCreateInfo, size: "2" } },
      out: { pBuffer: "VkBuffer#2" },
    },
    { command: "vkDestroyBuffer", args: { device, buffer: "VkBuffer#1" } },
    { command: "vkDestroyBuffer", args: { device, buffer: "VkBuffer#2" } },
  ]);
  assertEquals(lines[4].args.pCreateInfo.maxAnisotropy, "NaN");
  assertEquals(lines[5].args.pCreateInfo, {
    flags: 0,
    pNext: [{ sType: "VkSemaphoreTypeCreateInfo", semaphoreType: 1, initialValue: "9" }],
  });
});

Deno.test("apiRecording() writes first and last lines, and closes its file", () => {
  withFolder((folder) => {
    const path = `${folder}/calls.jsonl`, files = openFiles(), recording = apiRecording({ path });
    withScripted([recording.layer], () => {});
    recording.close();
    recording.close();
    assertEquals(openFiles(), files);
    const lines = Deno.readTextFileSync(path).trimEnd().split("\n");
    assertMatch(lines[0], /^\{"schema":"pumice-recording","version":1\}$/);
    assertMatch(lines.at(-1)!, new RegExp(`^{"lines":${lines.length - 2},"crc32":"[0-9a-f]+"}$`));
    withScripted([recording.layer], () => {});
    assertEquals(recording.error, undefined);
    assertEquals(Deno.readTextFileSync(path).trimEnd().split("\n"), lines);
  });
});

Deno.test("apiRecording() tells apart the members of unions that nothing chooses", () => {
  const lines = recorded(({ device }) => {
    const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
    const image = device.vkCreateImage({
      imageType: 1,
      format: 37,
      extent: { width: 1, height: 1, depth: 1 },
      mipLevels: 1,
    });
    commands.vkBeginCommandBuffer({});
    commands.vkCmdClearColorImage(image, 1, { float32: [1, -0, 0.5, Infinity] }, []);
    commands.vkCmdClearColorImage(image, 1, { uint32: [0xffff_ffff, 1, 2, 3] }, []);
    commands.vkCmdClearAttachments([{ aspectMask: 2, clearValue: { depthStencil: { depth: 0.25, stencil: 7 } } }], []);
    commands.vkEndCommandBuffer();
  });
  const [floats, integers] = lines.filter(({ command }) => command === "vkCmdClearColorImage");
  assertEquals(floats.args.pColor, { float32: [1, "-0", 0.5, "Infinity"] });
  assertEquals(integers.args.pColor, { int32: [-1, 1, 2, 3] });
  const { color: { float32 } } = lines.find(({ command }) => command === "vkCmdClearAttachments")!.args.pAttachments[0]
    .clearValue;
  const bytes = new DataView(Float32Array.from(float32).buffer);
  assertEquals([bytes.getFloat32(0, true), bytes.getUint32(4, true)], [0.25, 7]);
});

Deno.test("apiRecording() reads what secondary command buffers inherit, and only they", () => {
  const lines = recorded(({ device }) => {
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    for (const level of [0, 1] as const) {
      const [commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
      commands.vkBeginCommandBuffer({ pInheritanceInfo: { subpass: 3 } });
      commands.vkEndCommandBuffer();
    }
  });
  const [primary, secondary] = lines.filter(({ command }) => command === "vkBeginCommandBuffer");
  assertEquals(primary.args.pBeginInfo, { flags: 0 });
  assertEquals(secondary.args.pBeginInfo.pInheritanceInfo.subpass, 3);
});

Deno.test("apiRecording() writes what descriptor update templates do as plain updates", () => {
  const lines = recorded(({ device }) => {
    const buffer = device.vkCreateBuffer({ size: 64n, usage: 16 });
    const layout = device.vkCreateDescriptorSetLayout({});
    const pool = device.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes: [{ type: 6, descriptorCount: 2 }] });
    const [set] = device.vkAllocateDescriptorSets({ descriptorPool: pool, pSetLayouts: [layout] });
    const template = device.vkCreateDescriptorUpdateTemplate({
      pDescriptorUpdateEntries: [
        { dstBinding: 3, dstArrayElement: 1, descriptorCount: 2, descriptorType: 6, offset: 8, stride: 24 },
      ],
      templateType: 0,
      descriptorSetLayout: layout,
    });
    const data = new BigUint64Array([99n, buffer as bigint, 0n, 16n, buffer as bigint, 32n, 2n ** 64n - 1n]);
    device.vkUpdateDescriptorSetWithTemplate(set, template, Deno.UnsafePointer.value(Deno.UnsafePointer.of(data)));
  });
  assertEquals(lines.find(({ command }) => command === "vkUpdateDescriptorSets")!.args, {
    device: "VkDevice#1",
    pDescriptorWrites: [{
      dstSet: "VkDescriptorSet#1",
      dstBinding: 3,
      dstArrayElement: 1,
      descriptorCount: 2,
      descriptorType: 6,
      pBufferInfo: [
        { buffer: "VkBuffer#1", offset: "0", range: "16" },
        { buffer: "VkBuffer#1", offset: "32", range: "18446744073709551615" },
      ],
    }],
  });
});

Deno.test("apiRecording() passes over handles that the specification says are ignored", () => {
  recorded(({ device }) => {
    const layout = device.vkCreateDescriptorSetLayout({});
    const descriptorPool = device.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes: [{ type: 3, descriptorCount: 1 }] });
    const [dstSet] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [layout] });
    const sampler = 0xbadn as never;
    device.vkUpdateDescriptorSets([{ dstSet, descriptorCount: 1, descriptorType: 3, pImageInfo: [{ sampler }] }], []);
    device.vkUpdateDescriptorSets([{ dstSet, descriptorCount: 1, descriptorType: 1, pImageInfo: [{ sampler }] }], []);
  });
});

/** Handles that nobody made, where the specification ignores them. */
const BAD = 0xbadn as never;
const IGNORED: Record<string, (scripted: Scripted) => void> = {
  "resolveImageView without imageView, and without resolveMode": ({ device }) => {
    const commands = begun(device), renderArea = { extent: { width: 1, height: 1 } };
    const extent = { width: 1, height: 1, depth: 1 };
    const image = device.vkCreateImage({ extent, mipLevels: 1, arrayLayers: 1, samples: 1, imageType: 1, usage: 16 });
    const imageView = device.vkCreateImageView({ image });
    for (const each of [{ resolveMode: 1, resolveImageView: BAD }, { imageView, resolveImageView: BAD }]) {
      commands.vkCmdBeginRendering({ renderArea, layerCount: 1, pColorAttachments: [each] } as never);
      commands.vkCmdEndRendering();
    }
  },
  "descriptorSetLayout and pipelineLayout of update templates": ({ device }) => {
    const pDescriptorUpdateEntries = [{ descriptorCount: 1, descriptorType: 6 }];
    const descriptorSetLayout = device.vkCreateDescriptorSetLayout({});
    const own = { pDescriptorUpdateEntries, templateType: 0, descriptorSetLayout, pipelineLayout: BAD };
    device.vkCreateDescriptorUpdateTemplate(own as never);
    const pipelineLayout = device.vkCreatePipelineLayout({});
    const pushed = { pDescriptorUpdateEntries, templateType: 1, descriptorSetLayout: BAD, pipelineLayout };
    device.vkCreateDescriptorUpdateTemplate(pushed as never);
  },
  "renderPass and framebuffer of a secondary command buffer that continues no pass": ({ device }) => {
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 1, commandBufferCount: 1 });
    commands.vkBeginCommandBuffer({ pInheritanceInfo: { renderPass: BAD, framebuffer: BAD, subpass: 77 } });
    commands.vkEndCommandBuffer();
  },
  "dstSet of descriptors that are pushed": ({ device }) => {
    const buffer = device.vkCreateBuffer({ size: 16n, usage: 16 }), layout = device.vkCreatePipelineLayout({});
    const pBufferInfo = [{ buffer, offset: 0n, range: 16n }];
    begun(device).vkCmdPushDescriptorSetKHR(0, layout, 0, [{ dstSet: BAD, descriptorType: 6, pBufferInfo }]);
  },
  "basePipelineHandle of pipelines that derive from none, or by index": ({ device }) => {
    const stage = { stage: 32, module: device.vkCreateShaderModule({ pCode: new Uint32Array(5) }), pName: "main" };
    const layout = device.vkCreatePipelineLayout({}), basePipelineHandle = BAD;
    for (const more of [{ flags: 0, basePipelineIndex: -1 }, { flags: 4, basePipelineIndex: 0 }]) {
      device.vkCreateComputePipelines(null, [{ stage, layout, basePipelineHandle, ...more }] as never);
    }
  },
  "layout and renderPass of pipeline libraries that do not need them": ({ device }) => {
    const library = (flags: number) => [{ sType: 1000320002, flags }], flags = 0x800;
    device.vkCreateGraphicsPipelines(null, [
      { flags, pNext: library(1), pVertexInputState: {}, pInputAssemblyState: {}, layout: BAD, renderPass: BAD },
      { flags, pNext: library(8), layout: BAD },
    ] as never);
  },
  "srcAccelerationStructure of a build that updates nothing": ({ device }) => {
    const info = {
      type: 0,
      mode: 0,
      srcAccelerationStructure: BAD,
      pGeometries: [],
      scratchData: { deviceAddress: 0n },
    };
    begun(device).vkCmdBuildAccelerationStructuresKHR([info] as never, [[]] as never);
  },
};

function begun(device: VkDevice) {
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  return commands;
}

for (const [what, use] of Object.entries(IGNORED)) {
  Deno.test(`apiRecording() passes over garbage in ${what}`, () => {
    const extensions = [
      "VK_KHR_push_descriptor",
      "VK_EXT_graphics_pipeline_library",
      "VK_KHR_pipeline_library",
      "VK_KHR_deferred_host_operations",
      "VK_KHR_acceleration_structure",
    ];
    const lines = recorded(use, { physicalDevices: [{ extensions }] });
    assert(!JSON.stringify(lines).includes("?0x"), JSON.stringify(lines));
  });
}

Deno.test("apiRecording() leaves out structs of a chain that say nothing, wherever they are", () => {
  const lines = recorded(({ device }) => {
    const pNext = [{ sType: 1000127001 }, { sType: 1000074000, handleType: 0, fd: 77 }];
    device.vkAllocateMemory({ allocationSize: 16n, memoryTypeIndex: 0, pNext: pNext as never });
    const module = device.vkCreateShaderModule({ pCode: new Uint32Array(5) });
    const named = [{ sType: 1000128000, objectType: 15, objectHandle: 0xbadn, pObjectName: "a shader" }];
    const stage = { stage: 32, module, pName: "main", pNext: named };
    device.vkCreateComputePipelines(null, [{ stage, layout: device.vkCreatePipelineLayout({}) }] as never);
  });
  const of = (name: string) => lines.find(({ command }) => command === name)!.args;
  assertEquals(of("vkAllocateMemory").pAllocateInfo, { allocationSize: "16", memoryTypeIndex: 0 });
  assertEquals(of("vkCreateComputePipelines").pCreateInfos[0].stage.pNext, undefined);
});

Deno.test("apiRecording() says what it did not see, and replayRecording() refuses that", () => {
  withFolder((folder) => {
    const path = `${folder}/late.jsonl`;
    using recording = apiRecording({ path });
    withScripted([], ({ instance, device }) => {
      instance.attach(recording.layer);
      const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
      const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
      commands.vkCmdDispatch(1, 1, 1);
      const fence = device.vkCreateFence({}), queue = device.vkGetDeviceQueue(0, 0);
      for (let times = 0; times < 2; times++) queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
      instance.detach(recording.layer);
    });
    recording.close();
    assertEquals(recording.gaps, [
      "Nobody saw how the VkDevice was made that vkCreateCommandPool uses",
      "Nobody saw a vkBeginCommandBuffer that must have been called",
      "Nobody saw a vkEndCommandBuffer that must have been called",
      "Nobody saw a vkResetFences that must have been called",
    ]);
    const error = assertThrows(() => replayRecording({ driver: "/nowhere.so" }, path), RecordingError);
    assertMatch(error.message, /line \d+/);
  });
});

Deno.test("apiRecording() lets the program go on when it cannot write", () => {
  withFolder((folder) => {
    const path = `${folder}/calls.jsonl`, recording = apiRecording({ path });
    Deno.removeSync(`${path}.data`);
    withScripted([recording.layer], ({ device }) => {
      device.vkDestroyShaderModule(device.vkCreateShaderModule({ pCode: new Uint32Array(100) }));
    });
    assertMatch((recording.error as Error).message, /Cannot write/);
    recording.close();
  });
  assertThrows(() => apiRecording({ path: "/dev/null/x" }), Error);
});

/** VkBufferUsageFlagBits. */
const UNIFORM = 16, TRANSFER_DST = 2;

/** A host buffer of a page and its bytes. */
function hostBuffer(gpu: VkPhysicalDevice, device: VkDevice, usage: number) {
  const size = 4096n, buffer = device.vkCreateBuffer({ size, usage });
  const memoryTypeIndex = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.findIndex(({ propertyFlags }) =>
    (propertyFlags & 6) === 6
  );
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = device.vkMapMemory(memory, 0n, size);
  const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, 4096));
  bytes.fill(0);
  return { buffer, memory, bytes, free: () => (device.vkFreeMemory(memory), device.vkDestroyBuffer(buffer)) };
}

Deno.test("apiRecording() writes what changed in mapped memory, by whom, when it can be read", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/memory.jsonl`;
    using recording = apiRecording({ path });
    {
      using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [recording.layer] });
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      const queue = device.vkGetDeviceQueue(0, 0), commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
      const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
      const ours = hostBuffer(gpu, device, UNIFORM), theirs = hostBuffer(gpu, device, TRANSFER_DST);
      commands.vkBeginCommandBuffer({});
      commands.vkCmdFillBuffer(theirs.buffer, 0n, 4096n, 7);
      commands.vkEndCommandBuffer();
      ours.bytes.set([1, 2, 3], 100);
      theirs.bytes.set([9], 8); // before the GPU has anything to do: the program's
      queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
      ours.bytes.set([4], 50); // while it works, where it only reads: the program's, too
      queue.vkQueueWaitIdle();
      queue.vkQueueSubmit([]); // nothing new
      theirs.bytes.set([5], 0);
      device.vkFlushMappedMemoryRanges([{ memory: theirs.memory, size: 2n ** 64n - 1n }]);
      device.vkUnmapMemory(ours.memory);
      device.vkDestroyCommandPool(commandPool);
      for (const each of [ours, theirs]) each.free();
    }
    recording.close();
    assertEquals([recording.error, recording.gaps], [undefined, []]);
    const told = linesOf(path).filter((line) => "write" in line || "read" in line).map((line) =>
      "read" in line ? { read: line.read, offset: line.offset } : line
    );
    const [ours, theirs] = ["VkDeviceMemory#1", "VkDeviceMemory#2"];
    assertEquals(told, [
      { write: ours, offset: 100, content: { bytes: "010203" } },
      { write: theirs, offset: 8, content: { bytes: "09" } },
      { write: ours, offset: 50, content: { bytes: "04" } },
      { read: "VkBuffer#2", offset: 0 },
      { write: theirs, offset: 0, content: { bytes: "05" } },
    ]);
    const commands = linesOf(path).filter((line) => "command" in line || "read" in line).map((line) =>
      "command" in line ? line.command : "read"
    );
    assertEquals(commands.slice(commands.indexOf("vkQueueWaitIdle")).slice(0, 3), [
      "vkQueueWaitIdle",
      "read",
      "vkQueueSubmit",
    ]);
  });
});

Deno.test("apiRecording() names what it lacks of Deno's WebGPU, and replayRecording() refuses it", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/webgpu.jsonl`, driver = lavapipePath()!;
    const { code, stdout, output } = runProgram(
      "tests/loader/layers/shipped/programs/record_webgpu.ts",
      [driver, path],
      {
        flags: ["--unstable-webgpu"],
      },
    );
    assertEquals(code, 0, output);
    const { result, error, gaps } = JSON.parse(stdout);
    assertEquals([result, error], [[2, 4, 6, 8], "undefined"]);
    assertMatch(gaps.join("\n"), /Nobody saw how the VkCommandBuffer was made/);
    assertMatch(gaps.join("\n"), /Nobody saw a vkBeginCommandBuffer/);
    assert(linesOf(path).some((line) => "command" in line && line.command === "vkCmdDispatch"));
    assertMatch(
      assertThrows(() => replayRecording({ driver }, path), RecordingError).message,
      /the recording has gaps\. Nobody saw/,
    );
  });
});
