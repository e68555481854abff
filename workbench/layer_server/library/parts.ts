import type { Code, Label } from "../../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import type { OWN } from "../commands.ts";
import type { Constants } from "./constants.ts";

/** The memory that a layer library shares with the process that has the layers. */
export interface ChannelPlace {
  /** The file that a program opens. */
  readonly path: string;
  /** Address of the channel, and its bytes: the first of the file. */
  readonly channel: bigint;
  readonly channelSize: number;
  /** Address of the memory for structs, and its bytes: behind the channel in the file. */
  readonly scratch: bigint;
  readonly scratchSize: number;
  /** The program's way to the server, if not shared memory. */
  readonly socket?: SocketPlace;
}

/** The socket of a server. The program has memory of its own at the addresses of {@linkcode ChannelPlace}. */
export interface SocketPlace {
  /** The bytes of the socket's address, as `connect` takes them. */
  readonly address: Uint8Array;
  /** The keys that the program and the server show each other. */
  readonly programKey: Uint8Array;
  readonly serverKey: Uint8Array;
  /** The time for which the program waits for the server, in tenths of a second; 0 for no limit. */
  readonly patience: number;
  /** Whether the program is one of Android, where release builds keep their memory from others. */
  readonly isAndroid: boolean;
}

/** Data of a layer library: offsets in its own block. The layout is ours. */
export const PRIVATE = {
  /** One of {@linkcode LINK}. */
  link: 0,
  /** The number of instances. */
  instances: 8,
  /**
   * The file descriptor of the channel, and 1, since programs without standard
   * input get 0; with sockets, the process id. 0 for none.
   */
  file: 16,
  /** 1 once the program has had the sentence that it goes on without layers. */
  said: 24,
  /** A `timespec`: the length of one wait. */
  slice: 32,
  /** The number that the server gave to this link. */
  number: 48,
  /** The number of mapped parts of the channel's file. */
  maps: 56,
  /** A `pollfd` for standard error, and a `timespec` of no time. */
  poll: 64,
  noTime: 72,
  /** With sockets: the number that the server gave to the program. */
  session: 88,
  /** Process id of the program that is linked: a child has another one. */
  process: 96,
  /** Address of a function that tells the time as `clock_gettime` does, without the kernel; 0 for none. */
  clock: 104,
  /** With sockets: address of the slot through whose connection notes are sent; 0 for none. */
  notes: 112,
  /** Address of the first note that is not sent, and the number of its bytes that are. */
  unsent: 120,
  partly: 128,
  /** 1 while a thread sends notes. */
  flushing: 136,
  /** The part of a second in which notes were sent last. */
  tick: 144,
  /** The number of looks for an answer before a thread sleeps: from {@linkcode LOOKS}. */
  looks: 152,
  /** With sockets: 1 once the program leaves, so that the end of its notes is sent behind the last one. */
  leaving: 160,
  /** The result of `identity` for the channel's file. */
  identity: 168,
  /** While the program connects: a userfaultfd for the server, and 1; 0 for none. */
  fault: 176,
  /** The objects: dispatch key and address of the record, each 8 bytes. */
  objects: 192,
} as const;
/** The most instances and devices at a time. */
export const OBJECTS = 256;
/** Offset of the threads, see `thread.ts`. */
export const THREADS_AT: number = PRIVATE.objects + 16 * OBJECTS;
/** A thread whose number is known. */
export const THREAD = {
  /** The thread pointer. Another thread may have the same one later, but no two at a time. */
  pointer: 0,
  /** Address of the word in which the kernel and the C library keep the number of the thread; 0 if unknown. */
  word: 8,
  /** The number. */
  number: 16,
  /** Bytes in total, as a power of two. */
  shift: 5,
} as const;
/** The most threads whose numbers are known: twice what `THREAD_BITS` count to, and room behind the last. */
export const THREAD_BITS = 7, THREAD_LOOKS = 8, THREADS: number = 2 * (1 << THREAD_BITS) + THREAD_LOOKS;
/** Bytes of {@linkcode PRIVATE}. */
export const PRIVATE_SIZE: number = THREADS_AT + (THREADS << THREAD.shift);

/**
 * The fewest and the most looks for an answer: some ten microseconds, and as
 * long as it takes to wake the server; and by how many they become more.
 */
export const LOOKS = { least: 20_000, most: 160_000, step: 4000 } as const;

/** The way by which a library is linked with the server. */
export const LINK = { none: 0, connecting: 1, connected: 2, given_up: 3 } as const;

/**
 * The flags with which notes are sent (MSG_NOSIGNAL, MSG_DONTWAIT): at once or not at all; and those of a program that
 * leaves, which waits as long as for an answer.
 */
export const FLUSH = { atOnce: 0x4040, whole: 0x4000 } as const;

/** Functions of the kernel. */
export const KERNEL = {
  write: { x86_64: 1, aarch64: 64 },
  fstat: { x86_64: 5, aarch64: 80 },
  close: { x86_64: 3, aarch64: 57 },
  mmap: { x86_64: 9, aarch64: 222 },
  munmap: { x86_64: 11, aarch64: 215 },
  yield: { x86_64: 24, aarch64: 124 },
  ppoll: { x86_64: 271, aarch64: 73 },
  getuid: { x86_64: 102, aarch64: 174 },
  geteuid: { x86_64: 107, aarch64: 175 },
  getgid: { x86_64: 104, aarch64: 176 },
  getegid: { x86_64: 108, aarch64: 177 },
  getpid: { x86_64: 39, aarch64: 172 },
  flock: { x86_64: 73, aarch64: 32 },
  prctl: { x86_64: 157, aarch64: 167 },
  gettid: { x86_64: 186, aarch64: 178 },
  clockGettime: { x86_64: 228, aarch64: 113 },
  madvise: { x86_64: 28, aarch64: 233 },
  futex: { x86_64: 202, aarch64: 98 },
  socket: { x86_64: 41, aarch64: 198 },
  connect: { x86_64: 42, aarch64: 203 },
  sendto: { x86_64: 44, aarch64: 206 },
  recvfrom: { x86_64: 45, aarch64: 207 },
  setsockopt: { x86_64: 54, aarch64: 208 },
  processVmReadv: { x86_64: 310, aarch64: 270 },
  pread64: { x86_64: 17, aarch64: 67 },
  openat: { x86_64: 257, aarch64: 56 },
  userfaultfd: { x86_64: 323, aarch64: 282 },
} as const;

/** The addresses by which the functions of a layer library know each other. */
export interface Parts {
  readonly code: Routine;
  /** The code that the routine's instructions are appended to. */
  readonly written: Code;
  readonly constants: Constants;
  /** The names of all commands. */
  readonly names: readonly string[];
  /** The table of their names. */
  readonly nameTable: Label;
  /** The offset of each name in the table, 32 bits each. */
  readonly namePlaces: Label;
  /** Slot of the library's own data. */
  readonly data: number;
  /** The place of the channel; `undefined` if the library only passes on. */
  readonly place: ChannelPlace | undefined;
  /** Functions, placed as they are written. */
  readonly functions: Readonly<Record<FunctionName, Label>>;
}

/** Functions of a layer library that others of its functions call. */
export type FunctionName =
  | "findName"
  | "findObject"
  | "addObject"
  | "sameText"
  | "findLink"
  | "converse"
  | "note"
  | "timed"
  | "late"
  | "thread"
  | "copies"
  | "gather"
  | "connect"
  | "disconnect"
  | "capture"
  | "captures"
  | "own"
  | "invoke"
  | "send"
  | "receive"
  | "openLine"
  | "openNotes"
  | "flush"
  | "leave"
  | "closeLine"
  | "identity"
  | `own ${typeof OWN[number]}`;

/** The beginning of names of functions that are not exported. */
export const HIDDEN = ".";

/** Begins a function that others call. */
export function beginPart({ code, written, functions }: Parts, name: FunctionName, cells = 0): void {
  written.alignEntry();
  code.place(functions[name]);
  code.begin(HIDDEN + name, cells);
}

/** `to = value`, of 64 bits. */
export function setNumber({ code, constants }: Parts, to: Variable, value: bigint): void {
  code.labelAddress(to, constants.number(value));
  code.load(to, to);
}

/** `base += (1 << shift) * index`. */
export function addScaled(code: Routine, base: Variable, index: Variable, shift: number): void {
  // the index is doubled in place, because there is no shift
  for (let bit = 0; bit < shift; bit++) code.addVariable(index, index);
  code.addVariable(base, index);
}

/** `to = ` the address of the library's own data. */
export function ownData({ code, data }: Parts, to: Variable): void {
  code.slotAddress(to, data);
}

/** `*address += 1`, or `-= 1`, in one step for other threads. `address`, `old` and `changed` are three variables. */
export function count(code: Routine, address: Variable, old: Variable, changed: Variable, down = false): void {
  const retry = code.here();
  code.acquire(old, address);
  code.copy(changed, old);
  if (down) code.decrement(changed);
  else code.add(changed, 1);
  code.exchange(address, old, changed, retry);
}
