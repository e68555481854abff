/**
 * The messages between a program and the process with its layers, where both
 * are linked by sockets. A program has a connection for each of its slots, so
 * that a connection carries one call at a time. The layout is ours.
 */

/** Bytes of each of the two keys: the program's, and the one that the server answers with. */
export const KEY_SIZE = 32;

/** The first message of a connection, in which a program presents itself. */
export const GREETING = {
  /** {@linkcode GREETING_MAGIC}. */
  magic: 0,
  /** The program's key. */
  key: 8,
  /** The number that the server gave to the program; 0 on the first connection. */
  program: 40,
  /** Bytes in total. */
  size: 48,
} as const;

/** The number that marks a connection as one from a library of this layout. */
export const GREETING_MAGIC = 0x3173_6c65_6d75_7002n;

/** The answer to a greeting. */
export const WELCOME = {
  /** The server's key. */
  key: 0,
  /** The number of the program. */
  program: 32,
  /** Bytes in total. */
  size: 40,
} as const;

/**
 * An order of the server: four numbers of 64 bits, and the bytes that belong to them. The program sends its slot, whose
 * state says what the slot is for.
 */
export const ORDER = { kind: 0, address: 8, size: 16, extra: 24, end: 32 } as const;

/** The kinds of orders. Random bytes are none of them. */
export const KIND = {
  /**
   * Make a call. The bytes of the scratch memory at `address` follow, then an
   * `INVOKE` block; the answer is the slot and the same scratch memory. `extra`
   * is 1 if the call is that of the next function.
   */
  request: 0x8f1d_63a0_55c2_7e01n,
  /** The call is over: its results are in `address` and `size`. */
  over: 0x8f1d_63a0_55c2_7e02n,
  /** The call goes on as if no layer hooked the command. */
  pass: 0x8f1d_63a0_55c2_7e03n,
  /** Send memory: the answer is the requested number of bytes, and the number of those that are memory. */
  read: 0x8f1d_63a0_55c2_7e04n,
  /** Change memory: the bytes follow; the answer is the number of bytes that were written. */
  write: 0x8f1d_63a0_55c2_7e05n,
} as const;

/** The mark that a program sends behind its last note. A connection of notes that ends without it was cut. */
export const NOTES_END = {
  /** {@linkcode NOTES_END_MAGIC}. No note begins with it. */
  magic: 0,
  /** The number of the program's calls that had found no free note. */
  lost: 8,
  /** Bytes in total: fewer than a note has. */
  size: 16,
} as const;

/** The number that marks the end of a program's notes. */
export const NOTES_END_MAGIC = 0x3173_6c65_6d75_7003n;

/** The most bytes of one order to read, and of one to write. */
export const READ_MOST = 0x4000, WRITE_MOST = 0x1000;
