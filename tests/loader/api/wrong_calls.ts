import { arena } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import type { VkDevice, VkInstance } from "../../../loader/types.ts";
import { threads } from "../../ffi/thunk/ring_fixture.ts";

/** VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, and where its size is; its usage stays 0, which is wrong. */
const BUFFER_INFO = 12, SIZE = 24;

/** Calls of vkCreateBuffer that are wrong, on any thread, straight from native code. */
export class WrongCalls implements Disposable {
  readonly #device: VkDevice;
  readonly #info = new NativeBlock(64);

  /** Prepares such calls on a device. */
  constructor(device: VkDevice) {
    this.#device = device;
    this.#info.view.setUint32(0, BUFFER_INFO, true);
    this.#info.view.setBigUint64(SIZE, 16n, true);
    const [create, destroy] = ["vkCreateBuffer", "vkDestroyBuffer"].map((name) => commandOf(device, name));
    invokeAddress(threads("wrong_prepare"), "v:qqqq", [create, destroy, device.handle, this.#info.address]);
  }

  /** Makes so many on each of so many native threads. */
  start(threadCount: number, times: number): void {
    invokeAddress(threads("ring_start"), "v:qwq", [threads("wrong_buffer"), threadCount, BigInt(times)]);
  }

  /** Waits for the threads; says how many calls were made. */
  join(): number {
    return Number(invokeAddress(threads("ring_join"), "q:", []));
  }

  /** The same, but they stop as soon as they can. */
  stop(): number {
    return Number(invokeAddress(threads("ring_stop"), "q:", []));
  }

  /** Makes one on a thread of Deno's. */
  async nonblocking(): Promise<void> {
    const pointer = Deno.UnsafePointer.create<never>(threads("wrong_buffer"))!;
    const call = new Deno.UnsafeFnPointer(pointer, { parameters: ["u64", "u64"], result: "u64", nonblocking: true });
    await call.call(0n, 0n);
  }

  /** Makes one here. */
  here(): void {
    this.#device.vkDestroyBuffer(this.#device.vkCreateBuffer({ size: 16n, usage: 0 }));
  }

  /** Frees what the calls need; no thread may be going on. */
  [Symbol.dispose](): void {
    this.#info.close();
  }
}

/** Hands over a device of the instance's first physical device, and wrong calls on it. */
export async function withWrongCalls(
  instance: VkInstance,
  use: (calls: WrongCalls, device: VkDevice) => void | Promise<void>,
): Promise<void> {
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  using calls = new WrongCalls(device);
  await use(calls, device);
}

function commandOf(device: VkDevice, name: string): bigint {
  const memory = arena(), mark = memory.mark();
  const address = device.raw.vkGetDeviceProcAddr(device.handle, memory.place(cstring(name)));
  memory.release(mark);
  return address;
}
