/**
 * Calls that bring along more than most do, through layers that read and write what comes along.
 *
 * deno run … tests/loader/command/programs/large_calls.ts
 */
import { peek32 } from "../../../../ffi/machine.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { apiTrace } from "../../../../loader/layers/shipped/trace/api_trace.ts";
import { defineLayer } from "../../../../loader/mod.ts";
import { openDevice } from "../../../support/device.ts";
import type { VkDevice, VkImage } from "../../../../loader/types.ts";
import { carryOutRows, type Trial } from "../../../support/rows.ts";

const MIB = 1 << 20, WORDS = MIB, CODE_SIZE = 24n, CODE = 32n;
let seen: unknown;

const writing = defineLayer({
  name: "VK_LAYER_TEST_writing",
  commands: {
    vkCreateShaderModule(next, device, _info, allocator, out) {
      const pCode = new Uint32Array(WORDS).fill(0x07230203);
      return next(device, this.write("VkShaderModuleCreateInfo", { pCode }), allocator, out);
    },
  },
});
const reading = defineLayer({
  name: "VK_LAYER_TEST_reading",
  commands: {
    vkCreateShaderModule(next, device, info, allocator, out) {
      const size = peek32(info + CODE_SIZE),
        code = this.read("VkShaderModuleCreateInfo", info).pCode as unknown as bigint;
      seen = `${size} bytes, the last are 0x${peek32(code + BigInt(size - 4)).toString(16)}, at ${code !== CODE}`;
      return next(device, info, allocator, out);
    },
    vkCmdPipelineBarrier(next, ...args) {
      const barriers = this.readAll("VkImageMemoryBarrier", args[9], args[8])!;
      seen = `${barriers.length} barriers, of image ${barriers.at(-1)!.image}`;
      return next(...args);
    },
    vkCmdCopyBuffer(next, commands, from, to, count, regions) {
      const copies = this.readAll("VkBufferCopy", regions, count)!;
      seen = `${copies.length} copies, of ${copies.at(-1)!.size} bytes`;
      return next(commands, from, to, count, regions);
    },
    vkCreatePipelineCache(next, device, info, allocator, out) {
      seen = `${this.read("VkPipelineCacheCreateInfo", info).initialDataSize} bytes`;
      return next(device, info, allocator, out);
    },
  },
});

using driver = defineDriver({ name: "large" });
{
  using trace = apiTrace({ write: () => {} });
  using open = openDevice({ driver, layers: [writing, trace.layer, reading] });
  const { device } = open;
  await carryOutRows({
    "a shader that a layer writes above others": () => {
      device.vkDestroyShaderModule(device.vkCreateShaderModule({ pCode: new Uint32Array(5) }));
      return seen;
    },
  });
}
{
  using open = openDevice({ driver, layers: [reading] });
  await carryOutRows(trialsOn(open.device));
}

function trialsOn(device: VkDevice): Record<string, Trial> {
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  const [from, to] = [1, 2].map((usage) => device.vkCreateBuffer({ size: 64n, usage }));
  const image = 77n as VkImage, subresourceRange = { aspectMask: 1, levelCount: 1, layerCount: 1 };
  return {
    "300,000 barriers": () => {
      commands.vkCmdPipelineBarrier(1, 1, 0, [], [], Array(300_000).fill({ image, subresourceRange }));
      return seen;
    },
    "a million copies": () => {
      commands.vkCmdCopyBuffer(from, to, Array(1_000_000).fill({ size: 4n }));
      return seen;
    },
    "a pipeline cache of 20 MiB": () => {
      device.vkDestroyPipelineCache(device.vkCreatePipelineCache({ pInitialData: new Uint8Array(20 * MIB) }));
      return seen;
    },
    "more than there is room for": () => commands.vkCmdCopyBuffer(from, to, { length: 1 << 30 } as never),
    "a call after that": () => {
      commands.vkCmdCopyBuffer(from, to, [{ size: 8n }]);
      return seen;
    },
  };
}
