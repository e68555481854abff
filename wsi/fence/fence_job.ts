/** Something the fence worker does when something else happens. */
export interface FenceJob {
  /** Whether it is still to be done. Once it is not, the worker does not touch what it names. */
  readonly pending: boolean;
  /** When it was done, CLOCK_MONOTONIC nanoseconds; `undefined` before. */
  readonly time: bigint | undefined;
  /** 0, or the VkResult of a command that failed, such as -4 (`VK_ERROR_DEVICE_LOST`); fences that wait are signalled all the same. */
  readonly result: number;
  /**
   * Drops it: a semaphore is not signalled, an event is, so that nobody waits
   * for ever. Waits until the worker does not touch what the job names any more,
   * a few milliseconds at most.
   */
  cancel(): void;
}

/** When a file descriptor becomes readable, signals a timeline semaphore. */
export interface SignalSemaphore {
  /** Watched; the caller keeps it. */
  readonly fd: number;
  /** VkDevice */
  readonly device: bigint;
  /** VkSemaphore, a timeline. */
  readonly semaphore: bigint;
  /** The value it gets. */
  readonly value: bigint;
  /** Address of the command. */
  readonly vkSignalSemaphore: bigint;
}

/** When a timeline semaphore reaches a value, writes to an eventfd. */
export interface SemaphoreReached {
  /** VkDevice */
  readonly device: bigint;
  /** VkSemaphore, a timeline. */
  readonly semaphore: bigint;
  /** The value to wait for. */
  readonly value: bigint;
  /** Address of the command. */
  readonly vkWaitSemaphores: bigint;
  /** Written to; the caller keeps it. */
  readonly event: number;
}

/** When a VkFence is signalled, writes to an eventfd. */
export interface FenceSignaled {
  /** VkDevice */
  readonly device: bigint;
  /** VkFence */
  readonly fence: bigint;
  /** Address of the command. */
  readonly vkWaitForFences: bigint;
  /** Written to; the caller keeps it. */
  readonly event: number;
}
