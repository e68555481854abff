import { peek8 } from "../../ffi/machine.ts";
import { defineLayer } from "../../loader/mod.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { VkCommandBuffer, VkDevice } from "../../loader/gen/types_core_gen.ts";
import { openDevice } from "../support/device.ts";
import { TINY } from "./tiny.ts";

/** Arguments in raw form: handles, addresses and 64-bit values are bigints, the rest numbers. */
// deno-lint-ignore no-explicit-any -- each command has its own
export type RawArguments = any[];

/**
 * Makes a device of the tiny driver, lets `use` call commands on it and its
 * command buffer, and hands the raw arguments of `command` to `look`, in place
 * of the driver. Returns what `look` returned, one entry a call.
 */
export function spyOn<T>(
  command: keyof RawCommands,
  use: (device: VkDevice, commands: VkCommandBuffer) => void,
  look: (...args: RawArguments) => T,
): T[] {
  const seen: T[] = [];
  const hook = (_next: unknown, ...args: RawArguments) => {
    seen.push(look(...args));
    return 0;
  };
  const layer = defineLayer({ name: "VK_LAYER_TEST_spy", commands: { [command]: hook }, ownHandles: true });
  using open = openDevice({ driver: TINY!, layers: [layer] });
  const pool = open.device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const buffers = open.device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  use(open.device, buffers[0]);
  open.device.vkFreeCommandBuffers(pool, buffers);
  return seen;
}

/** The bytes at an address. */
export function bytesAt(address: bigint, size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, index) => peek8(address + BigInt(index)));
}

/** The words at an address. */
export function wordsAt(address: bigint, count: number): number[] {
  return [...new Uint32Array(bytesAt(address, 4 * count).buffer)];
}

/** The 64-bit values at an address. */
export function longsAt(address: bigint, count: number): bigint[] {
  return [...new BigUint64Array(bytesAt(address, 8 * count).buffer)];
}
