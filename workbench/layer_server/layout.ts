/**
 * The head of a channel: memory that a program and the process with its layers
 * share, at the same address in both. The layout is ours, as all in this file.
 * All numbers are 64 bits, unless stated.
 */
export const HEAD = {
  /** {@linkcode MAGIC}. */
  magic: 0,
  /** The number of requests. A thread that waits for requests waits for a change of its low 32 bits. */
  bell: 8,
  /** 1 while calls are answered. */
  open: 16,
  /** Process id of the server, which may read the program's memory. */
  server: 24,
  /** The time for which a thread waits for an answer, in tenths of a second; 0 for no limit. */
  patience: 32,
  /** 1 while the server sleeps until the bell rings: a program that rings the bell must wake the server then. */
  asleep: 40,
  /** Address of the {@linkcode NOTE} that the next call takes. */
  cursor: 48,
  /**
   * The number of calls that no layer saw: those that found no free note, and those that found no free slot in time.
   */
  lost: 56,
  /** 1 if commands may be noted, so that programs get the ring's memory at once. */
  isNoting: 64,
  /** The number of slots, from the first, that have been in use so far. The server looks at no other. */
  mostSlots: 72,
  /** 1 if a layer wants to know which pages programs write: then a program that connects makes a userfaultfd. */
  watches: 80,
  /** Kernel's id of the one thread whose calls may be noted as {@linkcode HANDED.late} says. */
  lateThread: 88,
  /** For each command, a byte: one of {@linkcode HANDED}. */
  subscribed: 1024,
  /** The most commands. */
  commandMost: 3072,
  /** Bytes in total. */
  size: 4096,
} as const;

/** The treatment of the calls of a command. */
export const HANDED = {
  /** Programs get the function below itself, so that calls cost nothing. */
  never: 0,
  /** Calls are handed over. */
  over: 1,
  /** Calls go on below, but may be handed over later. */
  later: 2,
  /** Calls are noted in the ring, and go on below without waiting. */
  noted: 3,
  /**
   * Calls go on below without waiting, and are noted afterwards with the time that they took. Calls without a free note
   * are handed over.
   */
  timed: 4,
  /**
   * Calls of one thread are noted with all that their arguments point to, go on below, and are handed over afterwards.
   * Calls that do not fit a note, and those of other threads, are handed over before.
   */
  late: 5,
  /** The same, but the server captures before what the call hands to the device: see {@linkcode CAPTURED_FIRST}. */
  captured: 6,
} as const;

/** The number that marks memory as a channel of this layout. */
export const MAGIC = 0x3173_6c65_6d75_7001n;

/** A call on its way, in a slot of its own until the call is over. The layout is ours. */
export const SLOT = {
  /** The slot's {@linkcode STATE}. Threads wait for a change. */
  state: 0,
  /** The command's number, or {@linkcode HELLO}. */
  command: 8,
  /** Process id of the program. */
  process: 16,
  /** In a slot of a program that leaves: the number of its link, since it may have come again by now. */
  link: 24,
  /** Address of the {@linkcode RECORD} of the object in the program; 0 for vkCreateInstance. */
  record: 24,
  /** Address of the next function in the program. */
  next: 32,
  /**
   * 1 if the requested call is that of the next function. The result of that call counts if no answer comes any more.
   */
  isNext: 40,
  /** Kernel's id of the thread. */
  thread: 48,
  /** The results that the call returns. */
  result: 56,
  floatResult: 64,
  /**
   * 1 while the thread sleeps until the state changes. Through a socket: how many calls of the program nobody saw by
   * now, such as those that found no connection.
   */
  asleep: 72,
  /** An {@linkcode INVOKE} block: the call's arguments, and later those of the requested call. */
  invoke: 80,
  /** The result of `identity` for the slot's connection: a program may close it, and have another file there. */
  identity: 1008,
  /** In a program that is linked by sockets: the file descriptor of the slot's connection, and 1; 0 for none. */
  file: 1016,
  /** Bytes in total. */
  size: 1024,
} as const;

/** The states of a slot. The thread of the program sets the even ones, the server the odd ones. */
export const STATE = {
  /** The slot is free. */
  free: 0,
  /** The thread is writing its call. */
  taken: 2,
  /** The call waits for an answer. */
  called: 4,
  /** The thread has made the requested call. */
  done: 6,
  /** The thread waits no longer. */
  abandoned: 8,
  /** The program's last instance is gone. */
  left: 10,
  /** The server is at work. */
  served: 1,
  /** The thread is requested to make the call in the block. */
  request: 3,
  /** The call is over. The thread returns the results. */
  over: 5,
  /** The call continues as if no layer hooked the command. */
  pass: 7,
} as const;

/** Slots of a channel: the most calls at a time. A thread that finds none waits. Each has its memory when it is first used. */
export const SLOTS = 2048;
/** Returns the places of the first slots in a channel. */
export function slotPlaces(count: number): number[] {
  return Array.from({ length: count }, (_, index) => HEAD.size + SLOT.size * index);
}

/** A call that was noted: an entry of the ring behind the slots. The layout is ours. */
export const NOTE = {
  /** One of {@linkcode NOTED}. */
  state: 0,
  /** The command's number. */
  command: 8,
  /** The number of the program's link. */
  link: 16,
  /** Kernel's id of the thread. */
  thread: 24,
  /** The time of the call: seconds and nanoseconds of CLOCK_MONOTONIC. */
  time: 32,
  /** In a note that is sent: the number of the program's calls that had found no free note by then. */
  lost: 48,
  /** The result of a call that is handed over afterwards. */
  result: 48,
  /** 0 for a call that is noted before it is made, {@linkcode LATE} for one that is handed over afterwards, or else. */
  isTimed: 56,
  /** The arguments, in an {@linkcode INVOKE} block. */
  invoke: 64,
  /** The address of the {@linkcode BLOCK} of a call before which layers capture, or one of {@linkcode CAPTURE_STATE}. */
  gathered: 504,
  /** The end of such a call: seconds and nanoseconds of CLOCK_MONOTONIC. Nothing is copied of it. */
  end: 512,
  /** For each step of the command's plan, the number of copied bytes, or an error of the kernel. */
  copies: 512,
  /** The bytes that were copied. */
  copied: 576,
  /** Bytes in total. */
  size: 1024,
} as const;
/** The states of a note. */
export const NOTED = {
  free: 0,
  /** A thread writes. */
  claimed: 1,
  written: 2,
  /** All but the result is written: the call is being made. */
  begun: 3,
} as const;
/** Marks a note of a call that is handed over afterwards; the command's number in one that turned out not to fit. */
export const LATE = 1, UNFIT = 0xfffe;
/** The state of a noted call's capture, where the program cannot gather: the server has yet to do it, or has done it. */
export const CAPTURE_STATE = { none: 0, pending: 1, taken: 2 } as const;
/** Added to the number of a command whose call is noted already, and waits for the server to capture. */
export const CAPTURED_FIRST = 0x10000;

/** A step of a plan: what of a noted call's memory is copied into the note. A size of 0 ends a plan. The layout is ours. */
export const COPIES = {
  /** Bytes of an element. */
  size: 0,
  /** Offset in the note of the address. */
  address: 8,
  /** Offset in the note of the number of elements, 32 bits; 0 for one element. */
  count: 16,
  /** The most elements; 0 for an address that must be NULL if the note is to be whole. */
  elements: 24,
  /** Offset in the note of the bytes. */
  to: 32,
  /** Offset in the note of the result. */
  result: 40,
  /** The `sType` of the one struct that may be there, and nothing behind it in its chain; 0 for any bytes. */
  struct: 48,
  /** Words of such a struct: another one leaves zeros, so that nothing is copied that its members point to. */
  words: 56,
  /** Bytes in total. */
  bytes: 64,
  /** The most steps of a plan. */
  most: 8,
} as const;
/** The ring's offset in the channel, and the number of its notes. */
export const RING_AT = HEAD.size + SLOTS * SLOT.size, NOTES = 8192;
/** The place for bytes that have no memory, behind the ring: 4096 bytes. */
export const DUSTBIN = RING_AT + NOTES * NOTE.size;
/** For each command, the address of its plan; 0 for none. The steps of all plans lie behind, in so many bytes. */
export const PLANS_AT = DUSTBIN + 4096, STEPS_AT = PLANS_AT + 8 * HEAD.commandMost, STEPS_SIZE = 0xb000;

/**
 * The list of what a program gathers by itself before a call hands it to the device, so that the call need not wait for
 * the server, which keeps the list up to date while calls of the program wait. The layout is ours.
 */
export const GATHER = {
  /** Another number for each list of ranges; 0 while programs must not gather. */
  version: 0,
  /** Bytes of all ranges, and the number of ranges. */
  total: 8,
  count: 16,
  /** Address of the {@linkcode BLOCK} that the next call takes. */
  cursor: 24,
  /** Offsets in the note: of the command buffers, of their number (32 bits), and of the size of the struct that has it. */
  handles: 32,
  handleCount: 40,
  holder: 48,
  /** The number of calls that were gathered. */
  gathered: 56,
  /** The ranges, each an `iovec`. The first one is this list itself, so that each block says what it holds. */
  ranges: 64,
  /** The most ranges, and bytes in total. */
  rangeMost: 508,
  size: 8192,
} as const;
export const GATHER_AT: number = STEPS_AT + STEPS_SIZE;
/** A number that a program writes before it submits a command buffer: an entry of a table. The layout is ours. */
export const POKE = {
  /** The handle; 0 for a free entry. */
  handle: 0,
  /** The address of the number, of 32 bits; 0 if nothing is to be written. */
  address: 8,
  value: 16,
  /** Bytes in total, as a power of two. */
  shift: 5,
} as const;
/**
 * The table of these numbers: an entry is one of so many from the place on that the sum of two groups of bits of the
 * handle gives.
 */
export const POKES_AT: number = GATHER_AT + GATHER.size, POKE_BITS = 12, POKE_LOOKS = 8;
export const POKE_GROUPS: readonly [number, number] = [4, 16];
const POKES_SIZE = (1 << POKE_BITS) + POKE_LOOKS << POKE.shift;
/** A place for what a call gathers, in use until the server has read it. The layout is ours. */
export const BLOCK = {
  /** 1 while the block is in use. */
  state: 0,
  /** Address of the next block. */
  next: 8,
  /** 1 in blocks after which the program wakes the server, so that the server reads before all blocks are in use. */
  rings: 16,
  /** The bytes of all ranges, one behind the other. */
  bytes: 64,
  /** Bytes in total: more than that is left to the server. */
  size: 1 << 17,
} as const;
/** The blocks, and how many of them a program fills before it wakes the server. */
export const BLOCKS_AT: number = POKES_AT + POKES_SIZE + 0xffff & ~0xffff, BLOCKS = 64, BLOCKS_UNTIL_RING = 16;
/** Bytes of a channel: head, slots, ring, plans and blocks, a multiple of every page size in use. */
export const CHANNEL_SIZE: number = BLOCKS_AT + BLOCKS * BLOCK.size;
/** The number in place of a command's in a program's first call, which connects the program. */
export const HELLO = 0xffff;

/** The record of an instance or device in a layer library. The layout is ours. */
export const RECORD = {
  /** The dispatch key: word 0 of the object's handles. */
  key: 0,
  /** The handle. */
  handle: 8,
  /** Address of the GetInstanceProcAddr or GetDeviceProcAddr below. */
  procAddr: 16,
  /** Address of the function below that destroys the object. */
  destroy: 24,
  /** In a record of an instance: address of the function below that lists extensions of devices. */
  list: 32,
  /** Addresses of the functions below, by command number; 0 for a program that is not connected. */
  next: 40,
} as const;
