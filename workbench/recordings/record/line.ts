/** The first line of a recording. */
export interface RecordHeader {
  /** The name of the format. */
  readonly schema: "pumice-recording";
  /** Version of the format, increased when the meaning of lines changes. */
  readonly version: 1;
}

/**
 * The finder of a program's writes into mapped memory: the kernel tells the
 * pages, or all bytes are compared with a copy, which costs more.
 */
export type WritesFoundBy = "userfaultfd" | "comparison";

/**
 * A call that succeeded, or one within which the program ended. The lines are
 * in the order in which the driver was entered; a call that waits, or asks how
 * far the GPU is, stands where it returned. Values are as in {@linkcode TraceValue}, except:
 *
 * - a handle is a name, made of its type and a number: `"VkBuffer#3"`; each
 *   creation gets a new number
 * - a struct of a chain has its name as its `sType`:
 *   `"VkPhysicalDeviceVulkan12Features"`
 * - NULL is left out, and so is the count of a list that is present; allocators
 *   are never written
 * - few bytes are `{ bytes: "hexadecimals" }`, more are `{ data: "SHA-256" }`,
 *   which is the name of a file; TypeScript may also give a buffer or a view
 * - a union is its first member that holds all of its bits
 * - an address outside of the program is `{ foreign: "0x…" }` and cannot be
 *   replayed
 */
export interface RecordedCall {
  /** The command's name. */
  command: string;
  /** The inputs, by parameter name. */
  // deno-lint-ignore no-explicit-any -- what an argument is depends on the command
  args: Record<string, any>;
  /** The names of created objects and the driver's answers, by parameter name. */
  // deno-lint-ignore no-explicit-any -- likewise
  out?: Record<string, any>;
  /**
   * For vkGetEventStatus: the answer, VK_EVENT_SET or VK_EVENT_RESET. For
   * vkGetBufferDeviceAddress and vkGetAccelerationStructureDeviceAddressKHR: the
   * address, in decimal digits.
   */
  result?: number | string;
  /**
   * For vkGetBufferDeviceAddress on a device with `bufferDeviceAddressCaptureReplay`:
   * the opaque capture addresses of the buffer and of its memory, in decimal digits.
   */
  opaque?: { readonly buffer: string; readonly memory: string };
  /** For vkMapMemory and vkMapMemory2: how the program's writes are found there from now on. */
  writes?: WritesFoundBy;
  /** Whether the program ended within the call, so that its answer is not known. */
  unfinished?: true;
}

/** A few bytes, or the name of the file that has them. */
export type RecordedBytes = { readonly bytes: string } | { readonly data: string } | ArrayBufferView<ArrayBuffer>;

/** Data that the program wrote into mapped memory before the GPU could read it. */
export interface RecordedWrite {
  /** The memory, such as `"VkDeviceMemory#2"`. */
  write: string;
  /** Offset in bytes from the start of the memory. */
  offset: number;
  /** The data. */
  content: RecordedBytes;
}

/**
 * Data in a mapped buffer or linear image that the program could read after it had learned that
 * the GPU's work there was done, if the data was new.
 */
export interface RecordedRead {
  /** The buffer or image, such as `"VkBuffer#5"`. */
  read: string;
  /** Offset in bytes from the start of the buffer or image. */
  offset: number;
  /** The data. */
  content: RecordedBytes;
}

/** A report that something happened unseen, so that the recording cannot be replayed. */
export interface RecordedGap {
  /** The report, one sentence. */
  missing: string;
}

/** The last line of a recording that was neither cut nor changed. */
export interface RecordEnd {
  /** The number of lines between the first and this line. */
  readonly lines: number;
  /** The CRC-32 of the text of those lines in UTF-16, with line breaks, in hexadecimal. */
  readonly crc32: string;
}

/** A line between the first and the last. */
export type RecordedLine = RecordedCall | RecordedWrite | RecordedRead | RecordedGap;

/** Arguments and structs of a recorded call: what is in them depends on the command. */
// deno-lint-ignore no-explicit-any -- likewise
export type Fields = Record<string, any>;
