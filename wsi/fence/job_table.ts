import {
  offsetsOfVkSemaphoreSignalInfo,
  offsetsOfVkSemaphoreWaitInfo,
  VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
  VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
} from "../../loader/gen/native_gen.ts";

/** The most jobs that the fence worker has at a time; more than the file descriptors most processes may open. */
export const MOST_JOBS = 1 << 14;

/** Places in the memory shared with the fence worker's thread: 32-bit words first, then jobs of 64 bytes. */
export const TABLE = {
  /** Word: how many jobs and holds keep the thread alive; {@linkcode ENDED} after its end. */
  alive: 0,
  /** Word: how many jobs were posted so far. */
  posted: 1,
  /** Word: 1 to end with jobs left. */
  stop: 2,
  /** Word: 1 from the thread's first to its last moment, 2 behind that. */
  running: 3,
  /** Word of the first slot number in the ring of posted jobs. */
  ring: 16,
  /** Byte at which the jobs begin. */
  jobs: 64 + 4 * MOST_JOBS,
  /** Bytes of a job. */
  jobSize: 64,
  /** Words of a job. */
  state: 0,
  kind: 1,
  fd: 2,
  event: 3,
  /** Word: 0, or the error code of a Vulkan command. */
  result: 4,
  /** 64-bit words of a job. */
  device: 3,
  object: 4,
  value: 5,
  command: 6,
  time: 7,
} as const;

/** The size of the table in bytes. */
export const TABLE_SIZE: number = TABLE.jobs + MOST_JOBS * TABLE.jobSize;

/** The value of {@linkcode TABLE.alive} after the thread's end. */
export const ENDED: number = -1;

/** The states of a job. */
export const STATE = {
  /** A job to do. */
  posted: 1,
  /** The thread no longer touches the job's objects. */
  done: 2,
  /** A job to drop: fences that wait for it are signalled. */
  cancelled: 3,
} as const;

/** The kinds of jobs. */
export const KIND = {
  /** A call of vkSignalSemaphore when `fd` is readable. */
  signalSemaphore: 1,
  /** A write to `event` when a timeline semaphore has reached a value. */
  semaphoreReached: 2,
  /** A write to `event` when a VkFence is signalled. */
  fenceSignaled: 3,
  /** A write to `event` when `fd` is readable, and then the file descriptor in `object` unless it is -1. */
  descriptorReadable: 4,
} as const;

/** The structs of the commands that the thread calls: their structure types, and the offsets of their members. */
export const STRUCTS = {
  signal: { ...offsetsOfVkSemaphoreSignalInfo, sType: VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO },
  wait: { ...offsetsOfVkSemaphoreWaitInfo, sType: VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO },
} as const;

/** The message that starts the thread. */
export interface ThreadOrders {
  /** The table. */
  readonly shared: SharedArrayBuffer;
  /** An eventfd that is written to when there is something new; the thread closes it. */
  readonly wake: number;
  /** Addresses of functions of the C library. */
  readonly libc: Readonly<
    Record<"poll" | "read" | "write" | "close" | "clock_gettime" | "mmap" | "munmap", bigint>
  >;
  /** Places in the shared memory. */
  readonly TABLE: typeof TABLE;
  /** The states of jobs. */
  readonly STATE: typeof STATE;
  /** The kinds of jobs. */
  readonly KIND: typeof KIND;
  /** The structs of the commands that the thread calls: their structure types, and the offsets of their members. */
  readonly STRUCTS: typeof STRUCTS;
  /** The most jobs that it holds. */
  readonly MOST_JOBS: number;
}
