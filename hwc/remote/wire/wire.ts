/** The version of the protocol; a server refuses clients with another version. */
export const VERSION = 4;

/**
 * The head of every message: this number, its kind, and the bytes and file
 * descriptors behind it, 32 bits each, little-endian.
 */
export const MAGIC = 0x31485750; // "PWH1"

/** Bytes of that. */
export const HEADER_SIZE = 16;

/** The maximum number of bytes after the header. */
export const MOST_BYTES: number = 4 << 20;

/** The most file descriptors of one message: a buffer and a fence for each of the most layers. */
export const MOST_FDS = 2048;

/** Buffers that a server keeps for a client. */
export const MOST_SLOTS = 4096;

/** The data behind the slot of a buffer. A server that does not know the last one refuses the message. */
export const SENT = {
  /** Nothing: the buffer was sent before. */
  BEFORE: 0,
  /** The ints of a buffer of linear rows, and its file descriptor. */
  NOW: 1,
  /** The same with a modifier. */
  TILED: 2,
} as const;

/** The kinds of messages. */
export const KIND = {
  /** Client: its version. */
  HELLO: 1,
  /** Server: the functions it has, and whether it takes fences of every kind. */
  WELCOME: 2,
  /** Server: why it does not serve; nothing follows. */
  REFUSED: 3,
  /** Client: commands. */
  BATCH: 4,
  /** Server: what became of them. */
  ANSWER: 5,
  /** Server: a callback. */
  EVENT: 6,
  /** Client: the last; the server answers when all is cleared away. */
  BYE: 7,
} as const;

/** An error in a message, which ends the connection. */
export class BadMessage extends Error {}
