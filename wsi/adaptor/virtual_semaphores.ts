import type { RawCommands } from "../../loader/types.ts";
import type { FenceJob } from "../fence/fence_job.ts";
import { made, scratch, write } from "./struct.ts";

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

  /** All of them. */
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
export function shadowOf(
  { commands, handle }: { readonly commands: RawCommands; readonly handle: bigint },
  virtual: VirtualSemaphore,
): bigint | number {
  if (virtual.shadow !== 0n) return virtual.shadow;
  const shadow = scratch(() =>
    made((out) => commands.vkCreateSemaphore(handle, write("VkSemaphoreCreateInfo", {}), 0n, out))
  );
  if (typeof shadow !== "number") virtual.shadow = shadow;
  return shadow;
}
