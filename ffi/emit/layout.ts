/**
 * Byte offsets of the blocks that emitted code and TypeScript share. One
 * layout serves both machines; x86-64 leaves two integer places unused.
 */

/** The exported symbol at the start of an image's read-write data. */
export const DATA_SYMBOL = "pumice_data";

/** The most bytes the helper `readString` returns at once. */
export const SCRATCH_SIZE = 4096;

/** How many callback thunks and name lookup functions one image has. */
export const POOL_SIZE = { thunks: 64, lookups: 16 } as const;

/** The soname of images made beforehand; what is between `-` and `.` is another for each that is loaded. */
export const SONAME = "libpumice-000000000000.so";

/** How many integer arguments travel in registers, by `Deno.build.arch`. */
export const INTEGER_REGISTERS: Readonly<Record<string, number>> = { x86_64: 6, aarch64: 8 };

/** The block of the universal invoker. */
export const INVOKE = {
  /** Address to call. */
  target: 0,
  /** How many 8-byte stack arguments follow; always even, to keep the stack aligned. */
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
  size: 160 + 64 * 8,
} as const;

/** Where a callback thunk leaves its arguments and finds its result. */
export const SPILL = {
  /** Integer registers, 8 bytes each. */
  integers: 0,
  /** Floating-point registers, 8 bytes each. */
  floats: 64,
  /** Address of the first argument that was passed on the stack. */
  stack: 128,
  /** The result, integer or floating point. */
  result: 136,
  /** Which thunk was called, a 32-bit index. */
  index: 144,
  /** For a thunk that stands in dispatch tables, the table it was called through: word 0 of the first argument. */
  table: 152,
  /** Bytes in total. */
  size: 160,
} as const;

/** What a callback thunk knows about itself; changed while native code may be calling. */
export const THUNK = {
  /** Thread pointer of the thread that may run TypeScript; 0 sends every caller to `next`. */
  owner: 0,
  /** Where other threads go; 0 for nowhere. */
  next: 8,
  /** What callers get when there is no result and nowhere to go. */
  failure: 16,
  /** The index to report, a 32-bit value. */
  index: 24,
  /** Where, in the first argument's dispatch table, others go without `next`: the byte offset plus 8; 0 for nowhere. */
  nextInTable: 32,
  /** Where code begins whose calls are led elsewhere as those of other threads are. */
  shunned: 40,
  /** How many bytes of it there are; 0 for none. */
  shunnedSize: 48,
  /** Address of the ring that calls led elsewhere are recorded in; 0 for none. */
  ring: 56,
  /** What tells its records from those of other thunks, 64 bits. */
  token: 64,
  /** How many integer arguments of a call lie on the stack. */
  stackCount: 72,
  /** How many threads are at its ring now; never reset. */
  busy: 80,
  /** Where a thread goes whose visit was not answered; 0 for nowhere, or by the table. */
  unanswered: 88,
  /** Bytes in total. */
  size: 96,
} as const;

/** Where an isolate's visitors wait: threads whose calls its thread is to answer. */
export const DOOR = {
  /** The newest visit that nobody has looked at; {@linkcode DOOR_SHUT} once the isolate's thread has ended. */
  newest: 0,
  /** 1 when the doorkeeper is to wake the isolate, 2 when it is to go. */
  bell: 8,
  /** The first of the visits that are being answered. */
  served: 16,
  /** Thread pointer of the visitor that carries something out now; 0 for none. */
  carrying: 24,
  /** Address of the C library's `syscall`, and the number of futex there. */
  syscall: 32,
  futex: 40,
  /** Address of the function that has the isolate answer: the C library's `raise`, which is given {@linkcode WAKE}. */
  wake: 48,
  /** Addresses of the emitted functions `invoke` and `waitForAnswer`. */
  invoke: 56,
  wait: 64,
  /** The doorkeeper's pthread_t, and what it is made with. */
  keeper: 72,
  attributes: 80,
  /** Bytes in total. */
  size: 80 + 128,
} as const;

/**
 * The number and the name of the signal that wakes isolates. The process ignores
 * the signal where nobody listens, and raising it touches no memory of an
 * isolate: so an isolate may end at any moment.
 */
export const WAKE = { number: 23, name: "SIGURG" } as const;

/** What stands at {@linkcode DOOR.newest} for good in the end. */
export const DOOR_SHUT = 1;

/** A call that waits at a {@linkcode DOOR}: it lies on the caller's stack. It begins with what {@linkcode SPILL} says. */
export const VISIT = {
  /** One of {@linkcode VISIT_STATE}. */
  state: 160,
  /** The visit before this one. */
  next: 168,
  /** Address of an {@linkcode INVOKE} block that the visitor is to carry out. */
  order: 176,
  /** Thread pointer of the visitor. */
  thread: 184,
  /** Address of the {@linkcode THUNK} that was called. */
  thunk: 192,
  /** Bytes in total. */
  size: 200,
} as const;

/** How a visit stands. */
export const VISIT_STATE = {
  /** The visitor waits. */
  waiting: 0,
  /** The result is there. */
  answered: 1,
  /** Nobody answers: the visitor goes on as if nobody had been there. */
  refused: 2,
  /** The visitor is carrying out what it was ordered; then it waits again. */
  ordered: 3,
} as const;

/**
 * A ring that threads record calls in: bounded, for any number of writers and
 * one reader. What writers change has cache lines of its own. All zeros is an
 * empty ring, so that memory which no record has reached costs nothing.
 */
export const RING = {
  /** How many records were begun so far: the place of the next. */
  tail: 0,
  /** The number of slots, a power of two, minus one. */
  mask: 64,
  /** Bytes of a slot. */
  stride: 72,
  /** Address of a function `void (void *slot, void *ring)` that adds to a record what it points to; 0 for none. */
  copy: 80,
  /** How many calls found the ring full. */
  lost: 128,
  /** How many records the reader is through with: their slots are free. */
  head: 192,
  /** The first slot. */
  slots: 256,
} as const;

/** A slot of a ring, and the call recorded there. */
export const RECORD = {
  /** The record's place once it is begun; one more once the record is whole. */
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

/** What a deep copy adds to a record: byte offsets in the slot. */
export const COPIED = {
  /** Where the bytes end, as such an offset, 64 bits. */
  end: RECORD.size,
  /** Not 0 if they end early, as there was no more room. */
  cut: RECORD.size + 8,
  /** The struct; its strings; then each element of each list, followed by its string. Nothing stands for a NULL string. */
  bytes: RECORD.size + 16,
} as const;

/** A list of values and the addresses where they are to be stored when a thread ends. */
export const LAST_STORES = {
  /** Address of the next list; 0 after the last. */
  next: 0,
  /** The first pair. */
  pairs: 16,
  /** How many pairs one list holds. */
  count: 255,
  /** Within a pair: where to store; 0 for a pair not in use. */
  address: 0,
  /** Within a pair: what to store. */
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
  /** Its arguments. */
  first: 8,
  second: 16,
  /** Bytes in total. */
  size: 24,
} as const;

/** Bytes from one thunk or lookup function to the next, so that exporting the first is enough. */
export const ENTRY_SIZE = 16;

/** A name lookup function's data. */
export const LOOKUP = {
  /** Address of the hash table. */
  table: 0,
  /** Where unknown names go; 0 for NULL. */
  miss: 8,
  /** Bytes in total. */
  size: 16,
} as const;

/** What a GetProcAddr lookup knows of a command; the value of its entry in the hash table is this record's address. */
export const PROC = {
  /** The address that GetInstanceProcAddr returns. */
  answer: 0,
  /** Byte offset in the instance's dispatch table of what must not be NULL for that; negative to answer always. 32 bits. */
  instance: 8,
  /** Byte offset in the device's dispatch table of what GetDeviceProcAddr answers; 0 for NULL. 32 bits. */
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
  /** Within an entry: address of the NUL-terminated name, 0 when free. */
  name: 0,
  /** Within an entry: the address the name stands for. */
  value: 8,
  /** Bytes of an entry, as a power of two. */
  entryShift: 4,
} as const;

/**
 * The dispatch tables there are, in two sets: those of instances and
 * those of devices. A set is a hash table of addresses, one page of
 * which counts: a table's place is the first free one from its hash on. What
 * stands in a place that is free, or was, is never a table, and never leads to
 * that very place: so a word that equals what stands at its own hash is a table.
 */
export const TABLE_SETS = {
  /** Where each set begins. */
  instance: 0,
  device: 8192,
  /** Not 0 once a set was full: from then on what is not found may be a table all the same. 32 bits. */
  full: 16384,
  /** The hash of an address: so many bits from this one on. */
  hashShift: 12,
  hashBits: 10,
  /** What stands in a free place: the first for all but place 0. */
  free: 0,
  freeAt0: 0x1000,
  /** What stands in a place that was taken: the first for all but place 2. */
  gone: 0x2000,
  goneAt2: 0x3000,
  /** Bytes in total. */
  size: 16384 + 8,
} as const;

/** Which of the {@linkcode TABLE_SETS} a handle's table must be in. */
export type TableSet = "instance" | "device";

/** What is said of a handle that is none, as 32 bits: the places of two names, as `CheckText` has them. */
export function packText({ name, parameter }: { readonly name: number; readonly parameter: number }): number {
  return parameter << 16 | name;
}
