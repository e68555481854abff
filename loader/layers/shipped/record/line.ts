/** The first line of a recording. */
export interface RecordHeader {
  /** What this is. */
  readonly schema: "pumice-recording";
  /** Goes up when the meaning of lines changes. */
  readonly version: 1;
}

/**
 * A call that succeeded. Its values are as {@linkcode TraceValue} has them, but:
 *
 * - a handle is a name, its type and a number: `"VkBuffer#3"`; what is made anew gets a new number
 * - a struct of a chain says its name as its `sType`: `"VkPhysicalDeviceVulkan12Features"`
 * - what is NULL is left out, and so is the count of a list that is there; allocators are never written
 * - bytes are `{ bytes: "hexadecimals" }` where they are few, else `{ data: "SHA-256" }`, which is the name of a file;
 *   in TypeScript, a buffer or a view of one will do as well
 * - of a union, the first member that says it all
 * - an address that leads out of the program is `{ foreign: "0x…" }` and cannot be replayed
 */
export interface RecordedCall {
  /** The command's name. */
  command: string;
  /** What was given, by the names of the parameters. */
  // deno-lint-ignore no-explicit-any -- what an argument is depends on the command
  args: Record<string, any>;
  /** The names of what was made, or what the driver said, by the names of the parameters. */
  // deno-lint-ignore no-explicit-any -- likewise
  out?: Record<string, any>;
}

/** Bytes that are few, or the name of the file that has them. */
export type RecordedBytes = { readonly bytes: string } | { readonly data: string } | ArrayBufferView<ArrayBuffer>;

/** Something that the program wrote into mapped memory before the GPU could read it. */
export interface RecordedWrite {
  /** The memory, such as `"VkDeviceMemory#2"`. */
  write: string;
  /** Where, in bytes from the start of the memory. */
  offset: number;
  /** What. */
  content: RecordedBytes;
}

/** What the program could read in a mapped buffer after it had waited for all its work, where that was new. */
export interface RecordedRead {
  /** The buffer, such as `"VkBuffer#5"`. */
  read: string;
  /** Where, in bytes from the start of the buffer. */
  offset: number;
  /** What. */
  content: RecordedBytes;
}

/** Something that happened unseen, so that the recording cannot be replayed. */
export interface RecordedGap {
  /** A sentence. */
  missing: string;
}

/** The last line of a recording that was neither cut nor changed. */
export interface RecordEnd {
  /** How many lines stand between it and the first. */
  readonly lines: number;
  /** The CRC-32 of their text in UTF-16, line breaks included, in hexadecimals. */
  readonly crc32: string;
}

/** What stands between the first and the last line. */
export type RecordedLine = RecordedCall | RecordedWrite | RecordedRead | RecordedGap;
