/** A job of the fence worker: an action that follows an event. */
export interface FenceJob {
  /** Whether the job is still to be done. Afterwards the worker does not touch the job's objects. */
  readonly pending: boolean;
  /** The time at which the job was done, in CLOCK_MONOTONIC nanoseconds; `undefined` before. */
  readonly time: bigint | undefined;
  /**
   * 0, or the VkResult of a command that failed, such as -4 (`VK_ERROR_DEVICE_LOST`). Waiting fences are signalled in
   * both cases.
   */
  readonly result: number;
  /**
   * Cancels the job. A semaphore is not signalled; an event is signalled, so that nobody waits for ever. Waits a few
   * milliseconds at most, until the worker no longer touches the job's objects.
   */
  cancel(): void;
}

/** A job that signals a timeline semaphore when a file descriptor becomes readable. */
export interface SignalSemaphore {
  /** The watched file descriptor; the caller keeps it. */
  readonly fd: number;
  /** VkDevice */
  readonly device: bigint;
  /** VkSemaphore, a timeline semaphore. */
  readonly semaphore: bigint;
  /** The value that the semaphore gets. */
  readonly value: bigint;
  /** Address of the command. */
  readonly vkSignalSemaphore: bigint;
}

/** A job that writes to an eventfd when a timeline semaphore reaches a value. */
export interface SemaphoreReached {
  /** VkDevice */
  readonly device: bigint;
  /** VkSemaphore, a timeline semaphore. */
  readonly semaphore: bigint;
  /** The value to wait for. */
  readonly value: bigint;
  /** Address of the command. */
  readonly vkWaitSemaphores: bigint;
  /** The eventfd; the caller keeps it. */
  readonly event: number;
}

/** A job that writes to an eventfd when a VkFence is signalled. */
export interface FenceSignaled {
  /** VkDevice */
  readonly device: bigint;
  /** VkFence */
  readonly fence: bigint;
  /** Address of the command. */
  readonly vkWaitForFences: bigint;
  /** The eventfd; the caller keeps it. */
  readonly event: number;
}
