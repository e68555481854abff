import { arena } from "../../ffi/arena.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { STYPE, SYNC_FD } from "./constants.ts";
import type { DriverDevice } from "./driver_device.ts";
import { made, scratch, write } from "./struct.ts";

/** The handle of no semaphore. */
const NONE = 0n;

/**
 * The sync_files of a queue's releases, which the driver makes of a binary semaphore. An export takes the payload with
 * it, so that one semaphore serves all releases of the queue. After a refusal the payload stays, and nothing is
 * exported any more.
 */
export class ReleaseExport {
  readonly #device: DriverDevice;
  #semaphore: bigint | undefined;
  #isRefused = false;

  /** Without a semaphore yet. */
  constructor(device: DriverDevice) {
    this.#device = device;
  }

  /** The semaphore that the next release signals; 0n if its signal is not to be exported. */
  get semaphore(): bigint {
    if (this.#isRefused) return NONE;
    return this.#semaphore ??= this.#make();
  }

  /**
   * The fence of a release that was submitted and signals the semaphore. The driver gives -1 for one that is signalled.
   * `undefined` if the driver refuses.
   */
  take(): NativeFence | undefined {
    const { commands, handle } = this.#device, semaphore = this.#semaphore!, memory = arena();
    const fd = scratch(() => {
      const out = memory.alloc(4),
        info = write("VkSemaphoreGetFdInfoKHR", { semaphore, handleType: SYNC_FD.semaphores });
      const result = commands.vkGetSemaphoreFdKHR(handle, info, memory.address(out));
      return result < 0 ? undefined : memory.view.getInt32(out, true);
    });
    if (fd !== undefined) return NativeFence.adopt(fd);
    this.#isRefused = true;
    this.#device.say(`${this.#device.gpu.name} exports no sync_file: the fence worker waits for releases from now on`);
    return undefined;
  }

  /** Destroys the semaphore, whose signals must have happened. */
  close(): void {
    const { commands, handle } = this.#device;
    if (this.#semaphore) commands.vkDestroySemaphore(handle, this.#semaphore, 0n);
    this.#semaphore = NONE;
  }

  #make(): bigint {
    const { commands, handle } = this.#device;
    const exported = { sType: STYPE.EXPORT_SEMAPHORE_CREATE_INFO, handleTypes: SYNC_FD.semaphores };
    const semaphore = scratch(() => {
      const info = write("VkSemaphoreCreateInfo", { pNext: [exported] });
      return made((out) => commands.vkCreateSemaphore(handle, info, 0n, out));
    });
    return typeof semaphore === "number" ? NONE : semaphore;
  }
}
