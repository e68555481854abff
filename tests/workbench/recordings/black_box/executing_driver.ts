import { peek64, poke32 } from "../../../../ffi/machine.ts";
import { structsAt } from "../../../../loader/codec/codec.ts";
import { defineDriver, type ScriptedDriver } from "../../../../loader/drivers.ts";
import {
  VK_ERROR_DEVICE_LOST,
  VK_EVENT_RESET,
  VK_NOT_READY,
  VK_SUCCESS,
  VK_TIMEOUT,
} from "../../../../loader/gen/enums_core_gen.js";

/** The number of groups of the dispatch that the driver never finishes. */
export const ENDLESS = 99;
/** The fate of a device that meets such a dispatch. */
export type Fate = "hangs" | "is lost";

type Step = () => boolean;

/**
 * A driver that carries fills and markers out when command buffers are submitted, up to a dispatch of
 * {@linkcode ENDLESS} groups. From then on the device hangs, or is lost.
 */
export function executingDriver(fate: Fate, extensions: readonly string[] = []): ScriptedDriver {
  const lists = new Map<bigint, Step[]>(), homes = new Map<bigint, { memory: bigint; offset: bigint }>();
  const addresses = new Map<bigint, bigint>();
  let isStuck = false, checkpoint = 0n;
  const add = (commands: bigint, step: Step) => void lists.get(commands)?.push(step);
  const write = (buffer: bigint, offset: bigint, word: number) => () => {
    const home = homes.get(buffer), address = home && addresses.get(home.memory);
    if (address !== undefined) poke32(address + home!.offset + offset, word);
    return true;
  };
  const answer = () => !isStuck ? VK_SUCCESS : fate === "hangs" ? VK_TIMEOUT : VK_ERROR_DEVICE_LOST;
  return defineDriver({
    name: "executing",
    physicalDevices: [{
      extensions,
      properties: { deviceName: "Executing" },
      memoryProperties: {
        memoryTypeCount: 1,
        memoryTypes: [{ propertyFlags: 7, heapIndex: 0 }],
        memoryHeapCount: 1,
        memoryHeaps: [{ size: 1n << 28n, flags: 1 }],
      } as never,
    }],
    commands: {
      vkBindBufferMemory(next, device, buffer, memory, offset) {
        homes.set(buffer, { memory, offset });
        return next(device, buffer, memory, offset);
      },
      vkMapMemory(next, ...args) {
        const result = next(...args);
        addresses.set(args[1] as bigint, peek64(args.at(-1) as bigint));
        return result;
      },
      vkBeginCommandBuffer(next, commands, info) {
        lists.set(commands, []);
        return next(commands, info);
      },
      vkCmdDispatch(_next, commands, x) {
        add(commands, () => x !== ENDLESS);
      },
      vkCmdFillBuffer(_next, commands, buffer, offset, _size, word) {
        add(commands, write(buffer, offset, word));
      },
      vkCmdWriteBufferMarkerAMD(_next, commands, _stage, buffer, offset, word) {
        add(commands, write(buffer, offset, word));
      },
      vkCmdSetCheckpointNV(_next, commands, marker) {
        add(commands, () => {
          checkpoint = marker;
          return true;
        });
      },
      vkGetQueueCheckpointDataNV(_next, _queue, pCount, pData) {
        poke32(pCount, 1);
        if (pData === 0n) return;
        poke32(pData + 16n, 0x2000); // VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
        poke32(pData + 24n, Number(checkpoint & 0xffff_ffffn));
        poke32(pData + 28n, Number(checkpoint >> 32n));
      },
      vkQueueSubmit(next, queue, count, pSubmits, fence) {
        for (const { pCommandBuffers = [] } of structsAt("VkSubmitInfo", pSubmits, count)) {
          for (const each of pCommandBuffers as bigint[]) {
            if (!isStuck) isStuck = !(lists.get(each) ?? []).every((step) => step());
          }
        }
        return next(queue, count, pSubmits, fence);
      },
      vkWaitForFences: answer,
      vkGetFenceStatus: () => !isStuck ? VK_SUCCESS : fate === "hangs" ? VK_NOT_READY : VK_ERROR_DEVICE_LOST,
      vkGetEventStatus: () => VK_EVENT_RESET,
      vkQueueWaitIdle: answer,
      vkDeviceWaitIdle: () => isStuck && fate === "is lost" ? VK_ERROR_DEVICE_LOST : VK_SUCCESS,
    },
  });
}
