/**
 * The way in which a binary semaphore waits for a frame that is not drawn yet.
 *
 * An acquire fence is a file that becomes readable at some time. Few drivers wait for a file, and a binary semaphore
 * cannot be signalled by the host. So each binary semaphore of the application is a timeline semaphore below, and one
 * thread waits for all files and signals timelines:
 *
 * ```text
 *   application                      below the adaptor
 *
 *   vkAcquireNextImageKHR(S)         count of S: 6 -> 7; a job for the fence worker: "when the file is readable,
 *                                    vkSignalSemaphore(S, 7)"
 *   vkQueueSubmit(wait S, …)         wait S = 7                       (submit_rewriter.ts adds the value)
 *   vkQueueSubmit(…, signal S)       signal S = 8, count of S: 8
 *   vkQueueSubmit(wait S, …)         wait S = 8
 *
 *   value of S   … 6 ─────────────── 7 ──────────── 8 ─────>
 *                    file readable ──┘   GPU done ──┘
 * ```
 *
 * A signal operation promises the next value, and a wait operation waits for the last promised one, which is the order of
 * submissions that binary semaphores have. Where the driver refuses a submission, settle() takes the promises back.
 *
 * A payload that the application imports cannot be put into a timeline. A real binary semaphore, the shadow, then stands
 * for the semaphore: for one wait if the import is temporary, from then on if the import is permanent.
 *
 * @module
 */

import { arena } from "../../ffi/arena.ts";
import type { RawCommands } from "../../loader/types.ts";
import type { FenceJob } from "../fence/fence_job.ts";
import { SYNC_FD } from "./constants.ts";
import { made, scratch, write } from "./struct.ts";
import {
  offsetsOfVkImportSemaphoreFdInfoKHR,
  sizeOfVkImportSemaphoreFdInfoKHR,
  VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
} from "../../loader/gen/native_gen.ts";

const IMPORT = offsetsOfVkImportSemaphoreFdInfoKHR;

/** A VkDevice and the commands below the adaptor. */
interface Driver {
  readonly commands: RawCommands;
  readonly handle: bigint;
}

/**
 * A binary semaphore of the application that is a timeline semaphore below: each
 * signal operation has the next value, each wait operation the last one.
 */
export class VirtualSemaphore {
  /** The VkSemaphore, which the application has, too. */
  readonly handle: bigint;
  /** The value of the last signal operation that was submitted, or promised. */
  count = 0;
  /** A real binary semaphore with an imported payload; 0n for none. */
  shadow = 0n;
  /** Whether the next wait operation, or every operation, is on the shadow. */
  imported: "temporary" | "permanent" | undefined = undefined;
  /** The fence worker's job that signals the semaphore. */
  job: FenceJob | undefined;

  /** For a timeline semaphore at value 0. */
  constructor(handle: bigint) {
    this.handle = handle;
  }
}

/** The virtual semaphores of a device, and how operations that are being submitted change them. */
export class VirtualSemaphores {
  readonly #known = new Map<bigint, VirtualSemaphore>();
  readonly #signaled: VirtualSemaphore[] = [];
  readonly #consumed: VirtualSemaphore[] = [];

  /** Returns the virtual semaphore of a handle; `undefined` for a real semaphore. */
  get(handle: bigint): VirtualSemaphore | undefined {
    return this.#known.get(handle);
  }

  /** All semaphores. */
  get all(): readonly VirtualSemaphore[] {
    return [...this.#known.values()];
  }

  /** Begins with a semaphore that was just made. */
  add(handle: bigint): void {
    this.#known.set(handle, new VirtualSemaphore(handle));
  }

  /** Removes and returns a semaphore that is about to be destroyed. */
  remove(handle: bigint): VirtualSemaphore | undefined {
    const semaphore = this.#known.get(handle);
    this.#known.delete(handle);
    return semaphore;
  }

  /** The value that a wait operation waits for. */
  wait(semaphore: VirtualSemaphore): number {
    if (semaphore.imported === "temporary") {
      semaphore.imported = undefined;
      this.#consumed.push(semaphore);
    }
    return semaphore.count;
  }

  /** The value that a signal operation signals. */
  signal(semaphore: VirtualSemaphore): number {
    if (semaphore.imported === "permanent") return 0;
    this.#signaled.push(semaphore);
    return ++semaphore.count;
  }

  /** The operations since the last were submitted, or if not, did not happen. */
  settle(isSubmitted: boolean): void {
    if (!isSubmitted) {
      for (const each of this.#signaled) each.count--;
      for (const each of this.#consumed) each.imported = "temporary";
    }
    this.#signaled.length = 0;
    this.#consumed.length = 0;
  }
}

/**
 * Returns the real binary semaphore that replaces a virtual semaphore for the driver, created at the first call.
 * Returns a VkResult on failure.
 */
export function shadowOf({ commands, handle }: Driver, virtual: VirtualSemaphore): bigint | number {
  if (virtual.shadow !== 0n) return virtual.shadow;
  const shadow = scratch(() =>
    made((out) => commands.vkCreateSemaphore(handle, write("VkSemaphoreCreateInfo", {}), 0n, out))
  );
  if (typeof shadow !== "number") virtual.shadow = shadow;
  return shadow;
}

/**
 * A timeline cannot hold a payload imported into a binary semaphore: a real
 * semaphore stands for it as long as the import lasts. Returns a VkResult: the
 * driver owns the file unless that is an error.
 */
export function importFd(device: Driver, virtual: VirtualSemaphore, info: bigint): number {
  const { commands, handle } = device, memory = arena(), shadow = shadowOf(device, virtual);
  if (typeof shadow === "number") return shadow;
  return scratch(() => {
    const copy = memory.copyIn(info, sizeOfVkImportSemaphoreFdInfoKHR),
      isTemporary = (memory.view.getUint32(copy + IMPORT.flags, true) & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT) !== 0;
    memory.view.setBigUint64(copy + IMPORT.semaphore, shadow, true);
    const result = commands.vkImportSemaphoreFdKHR(handle, memory.address(copy));
    // A temporary payload of a permanently imported one is the shadow's own affair.
    if (result >= 0 && virtual.imported !== "permanent") virtual.imported = isTemporary ? "temporary" : "permanent";
    return result;
  });
}

/**
 * Makes the next wait for a binary semaphore, which may be virtual, wait for a
 * sync_file. Returns a VkResult: the driver owns the file unless that is an error.
 */
export function importSyncFile(
  device: Driver,
  semaphore: bigint,
  virtual: VirtualSemaphore | undefined,
  fd: number,
): number {
  const { commands, handle } = device, flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, handleType = SYNC_FD.semaphores;
  return scratch(() => {
    const info = write("VkImportSemaphoreFdInfoKHR", { semaphore, flags, handleType, fd });
    return virtual ? importFd(device, virtual, info) : commands.vkImportSemaphoreFdKHR(handle, info);
  });
}
