/**
 * Byte offsets in the blocks that emitted code and TypeScript share. One layout
 * serves both processors; x86-64 leaves two integer places unused.
 */
import type { StampSpec } from "./emitter.ts";

/** The exported symbol at the start of an image's read-write data. */
export const DATA_SYMBOL = "pumice_data";

/** The most bytes that the helper `readString` returns at once. */
export const SCRATCH_SIZE = 4096;

/** The callback thunks and name lookup functions of one image. */
export const POOL_SIZE = { thunks: 64, lookups: 16 } as const;

/** The soname of images made beforehand. The part between `-` and `.` is replaced for each loaded image. */
export const SONAME = "libpumice-000000000000.so";

/** The most integer arguments that travel in registers, by `Deno.build.arch`. */
export const INTEGER_REGISTERS: Readonly<Record<string, number>> = { x86_64: 6, aarch64: 8 };

/** The block of the universal invoker. */
export const INVOKE = {
  /** Address to call. */
  target: 0,
  /** The number of 8-byte stack arguments that follow; always even, to keep the stack aligned. */
  stackCount: 8,
  /** Integer registers, 8 bytes each. */
  integers: 16,
  /** Floating-point registers, 8 bytes each. */
  floats: 80,
  /** The integer result. */
  result: 144,
  /** The floating-point result. */
  floatResult: 152,
  /** Stack arguments, 8 bytes each. */
  stack: 160,
  /** The most stack arguments there is room for. */
  stackMax: 64,
  /** Bytes in total. */
  size: 672,
} as const;

/** The arguments of a call that was handed over, and the way on. */
export const CAPTURED = {
  /** Integer registers, 8 bytes each. */
  integers: 0,
  /** Floating-point registers, 8 bytes each. */
  floats: 64,
  /** Address of the first argument on the stack. */
  stack: 128,
  /** Address of the function that the call continues at. */
  next: 136,
  /** The integer result. */
  result: 144,
  /** The floating-point result. */
  floatResult: 152,
  /** Bytes in total, a multiple of 16. */
  size: 160,
} as const;

/** Bytes from one capturing function to the next. */
export const CAPTURE_SIZE = 16;

/** The block in which a callback thunk leaves its arguments and finds its result. */
export const SPILL = {
  /** Integer registers, 8 bytes each. */
  integers: 0,
  /** Floating-point registers, 8 bytes each. */
  floats: 64,
  /** Address of the first argument on the stack. */
  stack: 128,
  /** The result, integer or floating point. */
  result: 136,
  /** Index of the called thunk, 32 bits. */
  index: 144,
  /** For a thunk in dispatch tables, the table of the call: word 0 of the object at the first argument. */
  table: 152,
  /** Bytes in total. */
  size: 160,
} as const;

/** The data of a callback thunk, which may change while native code is calling. */
export const THUNK = {
  /** Thread pointer of the thread that may run TypeScript; 0 sends every caller to `next`. */
  owner: 0,
  /** Address for other threads; 0 for none. */
  next: 8,
  /** The result for callers if there is no other and no address to go to. */
  failure: 16,
  /** The index to report, a 32-bit value. */
  index: 24,
  /**
   * The byte offset, plus 8, in the first argument's dispatch table, of the
   * function for other threads without `next`; 0 for none.
   */
  nextInTable: 32,
  /** Address of the code whose calls are redirected like those of other threads. */
  shunned: 40,
  /** The size of that code; 0 for none. */
  shunnedSize: 48,
  /** Address of the ring that records redirected calls; 0 for none. */
  ring: 56,
  /** A number that tells its records from those of other thunks, 64 bits. */
  token: 64,
  /** The number of a call's integer arguments on the stack. */
  stackCount: 72,
  /** The number of threads that are using its ring now; never reset. */
  busy: 80,
  /** Address for a thread whose crossing was not answered; 0 for none, or for the table's. */
  unanswered: 88,
  /** Address of what the thunk is called, as a size of 64 bits and text behind it; 0 for nothing. */
  name: 96,
  /** Bytes in total. */
  size: 104,
} as const;

/** The place where an isolate's callers wait: threads whose calls its thread answers. */
export const GATE = {
  /** The newest crossing that nobody has taken; {@linkcode GATE_SHUT} after the isolate's thread has ended. */
  newest: 0,
  /** 1: the keeper shall wake the isolate; 2: the keeper shall end. */
  bell: 8,
  /** The first of the crossings being answered. */
  served: 16,
  /** Thread pointer of the caller that carries out an order; 0 for none. */
  carrying: 24,
  /** Address of the C library's `syscall`, and the number of futex. */
  syscall: 32,
  futex: 40,
  /** Address of the function that lets the isolate answer: the C library's `raise`, which gets {@linkcode WAKE}. */
  wake: 48,
  /** Addresses of the emitted functions `invoke` and `waitForAnswer`. */
  invoke: 56,
  wait: 64,
  /** The keeper's pthread_t, and its attributes. */
  keeper: 72,
  attributes: 80,
  /** A `timespec`: how long a caller waits before it says so. */
  patience: 208,
  /** 1 once a caller has said so. */
  said: 224,
  /** The sentence around a thunk's name and a thread's number: addresses and sizes of its three parts. */
  sentence: 232,
  /** The name of a thunk without one, as {@linkcode THUNK.name}. */
  unnamed: 280,
  /** A `pollfd` of standard error, the same once standard error takes text, and a `timespec` of no time. */
  poll: 288,
  polled: 296,
  noTime: 304,
  /** Bytes in total. */
  size: 320,
} as const;

/**
 * The number and the name of the signal that wakes isolates. The process
 * ignores the signal if nobody listens, and raising it touches no memory of an
 * isolate. An isolate may therefore end at any moment.
 */
export const WAKE = { number: 23, name: "SIGURG" } as const;

/** The value of {@linkcode GATE.newest} after the end of the thread. */
export const GATE_SHUT = 1;

/** A call that waits at a {@linkcode GATE}, on the caller's stack. It begins with a {@linkcode SPILL} block. */
export const CROSSING = {
  /** One of {@linkcode CROSSING_STATE}. */
  state: 160,
  /** The crossing before this one. */
  next: 168,
  /** Address of an {@linkcode INVOKE} block for the caller to carry out. */
  order: 176,
  /** Thread pointer of the caller. */
  thread: 184,
  /** Address of the called {@linkcode THUNK}. */
  thunk: 192,
  /** Bytes in total. */
  size: 200,
} as const;

/** The calls to make when Deno closes an isolate. */
export const LEAVE = {
  /** Address of the emitted function `storeAll`, and its argument; 0 for none. */
  storeAll: 0,
  lists: 8,
  /** Address of the emitted function `shutGate`, and its argument; 0 for none. */
  shutGate: 16,
  gate: 24,
  /** Bytes in total. */
  size: 32,
} as const;

/** The data of a choice between two functions: the address for one value, and that for all others. */
export const CHOICE = { own: 0, other: 8, size: 16 } as const;

/** The state of a crossing. */
export const CROSSING_STATE = {
  /** The caller waits. */
  waiting: 0,
  /** The result is there. */
  answered: 1,
  /** The crossing is refused: the caller continues as if there were nobody to crossing. */
  refused: 2,
  /** The caller is carrying out an order, and then waits again. */
  ordered: 3,
} as const;

/**
 * A ring in which threads record calls: bounded, for any number of writers and
 * one reader. The words that writers change have cache lines of their own. An
 * empty ring is all zeros, so that memory which no record has reached costs
 * nothing.
 */
export const RING = {
  /** The number of records begun: the index of the next. */
  tail: 0,
  /** The number of slots, a power of two, minus one. */
  mask: 64,
  /** Bytes of a slot. */
  stride: 72,
  /** Address of a function `void (void *slot, void *ring)` that copies what a record points to; 0 for none. */
  copy: 80,
  /** Address of clock_gettime, for {@linkcode CALLER}. */
  clock: 88,
  /** Address of gettid, for {@linkcode CALLER}. */
  tid: 96,
  /** The number of calls that found the ring full. */
  lost: 128,
  /** The number of records that the reader has finished. Their slots are free. */
  head: 192,
  /** The first slot. */
  slots: 256,
} as const;

/** A slot of a ring with a recorded call. */
export const RECORD = {
  /** The record's index after it was begun; one more after it is complete. */
  sequence: 0,
  /** See {@linkcode THUNK.token}. */
  token: 8,
  /** Thread pointer of the caller. */
  thread: 16,
  /** Integer and floating-point registers, as in {@linkcode SPILL}. */
  registers: 24,
  /** Stack arguments, 8 bytes each. */
  stack: 152,
  /** The most stack arguments there is room for. */
  stackMax: 13,
  /** Bytes in total. */
  size: 256,
} as const;

/** The clock of {@linkcode CALLER}. */
export const CLOCK_MONOTONIC = 1;

/** The fields that `noteCaller` adds to a record: byte offsets in the slot, behind the {@linkcode RECORD}. */
export const CALLER = {
  /** A timespec of CLOCK_MONOTONIC: when the call was made. */
  time: 256,
  /** The system's number of the thread, 64 bits of which the lower half counts. */
  tid: 272,
  /** Bytes in total, without the record's. */
  size: 24,
} as const;

/** The additions of a deep copy to a record: byte offsets in the slot, behind the {@linkcode RECORD}. */
export const COPIED = {
  /** Offset of the end of the bytes, 64 bits. */
  end: 256,
  /** Not 0 if the copy was cut for lack of room. */
  cut: 264,
  /** The struct, its strings, then each element of each list, followed by its string. A NULL string has no bytes. */
  bytes: 272,
} as const;

/** A list of values and the addresses where they are to be stored when a thread ends. */
export const LAST_STORES = {
  /** Address of the next list; 0 after the last. */
  next: 0,
  /** The first pair. */
  pairs: 16,
  /** Pairs in one list. */
  count: 255,
  /** In a pair: the address to store to; 0 for an unused pair. */
  address: 0,
  /** In a pair: the value to store. */
  value: 8,
  /** Bytes of a pair. */
  pairSize: 16,
  /** Bytes in total. */
  size: 4096,
} as const;

/** A call that is made when a thread ends. */
export const LAST_CALL = {
  /** The function. */
  target: 0,
  /** The arguments of the call. */
  first: 8,
  second: 16,
  /** Bytes in total. */
  size: 24,
} as const;

/** Bytes from one thunk or lookup function to the next. Exporting the first is therefore enough. */
export const ENTRY_SIZE = 16;

/** A name lookup function's data. */
export const LOOKUP = {
  /** Address of the hash table. */
  table: 0,
  /** Address for unknown names; 0 for NULL. */
  miss: 8,
  /** Bytes in total. */
  size: 16,
} as const;

/** The data of a GetProcAddr lookup about a command. The hash table's entry has this record's address. */
export const PROC = {
  /** The address that GetInstanceProcAddr returns. */
  answer: 0,
  /**
   * Byte offset in the instance's dispatch table of a pointer that must not be
   * NULL for the answer; negative to answer always. 32 bits.
   */
  instance: 8,
  /** Byte offset in the device's dispatch table of GetDeviceProcAddr's answer; 0 for NULL. 32 bits. */
  device: 12,
  /** Not 0 if GetInstanceProcAddr answers without an instance. 32 bits. */
  bare: 16,
  /** Bytes in total. */
  size: 24,
} as const;

/** The hash table of a name lookup: a mask, then entries. */
export const LOOKUP_TABLE = {
  /** Number of entries minus one, 32 bits; the number is a power of two. */
  mask: 0,
  /** The first entry. */
  entries: 16,
  /** In an entry: address of the NUL-terminated name; 0 for a free entry. */
  name: 0,
  /** In an entry: the address of the name's function. */
  value: 8,
  /** Bytes of an entry, as a power of two. */
  entryShift: 4,
} as const;

/**
 * The dispatch tables in use, in two sets: those of instances and those of
 * devices. A set is a hash table of addresses, and the page of an address
 * decides its hash: a table's place is the first free one from its hash on. The
 * word in a place that is free, or was freed, is never a table and never has
 * that place as its hash. A word that equals the word at its own hash is
 * therefore a table.
 */
export const TABLE_SETS = {
  /** Offset of each set. */
  instance: 0,
  device: 8192,
  /** Not 0 after a set was full: from then on, a table may be missing from its set. 32 bits. */
  full: 16384,
  /** The hash of an address: so many bits, from this bit on. */
  hashShift: 12,
  hashBits: 10,
  /** The word in a free place: the first for all places except 0. */
  free: 0,
  freeAt0: 0x1000,
  /** The word in a freed place: the first for all places except 2. */
  gone: 0x2000,
  goneAt2: 0x3000,
  /** Bytes in total. */
  size: 16392,
} as const;

/** The {@linkcode TABLE_SETS} in which a handle's table must be. */
export type TableSet = "instance" | "device";

/** Packs a message about an argument that is not a handle into 32 bits: the offsets of two names, as in `CheckText`. */
export function packText({ name, parameter }: { readonly name: number; readonly parameter: number }): number {
  return parameter << 16 | name;
}

/** FNV-1a's starting value, 32 bits. */
export const HASH_SEED = 0x811c9dc5;
/** FNV-1a's multiplier. */
export const HASH_PRIME = 0x01000193;

/** The hash of the emitted name lookup: 32-bit FNV-1a over the bytes of the name. */
export function nameHash(bytes: Uint8Array): number {
  let hash = HASH_SEED;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, HASH_PRIME);
  return hash >>> 0;
}

/** Returns a text that tells a terminator from all others. Prebuilt images list their terminators so. */
export function stampKey({ name, handles, argument, result, hiddenOffset, refused }: StampSpec): string {
  return [name, handles, argument, result, hiddenOffset, refused?.heardOffset, refused?.about].join();
}

/** Whether a terminator's command has a pointer to a count before its list, for which drivers do not expect NULL. */
export function isCounted({ handles }: StampSpec): boolean {
  return handles === "array" || handles === "groups";
}
