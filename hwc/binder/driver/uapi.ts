/**
 * Numbers and layouts of the kernel's `linux/android/binder.h`, protocol 8: the
 * form for 64-bit processes.
 *
 * @module
 */

/** The protocol that this folder speaks; 32-bit Android has 7. */
export const PROTOCOL = 8;

/** The requests of `ioctl`. */
export const IOCTL = {
  WRITE_READ: 0xc0306201,
  SET_MAX_THREADS: 0x40046205,
  THREAD_EXIT: 0x40046208,
  VERSION: 0xc0046209,
  SET_CONTEXT_MGR_EXT: 0x4018620d,
  GET_EXTENDED_ERROR: 0xc00c6211,
} as const;

/** `struct binder_write_read`. */
export const WRITE_READ = {
  writeSize: 0,
  writeConsumed: 8,
  writeBuffer: 16,
  readSize: 24,
  readConsumed: 32,
  readBuffer: 40,
  size: 48,
} as const;

/** Commands to the driver. */
export const BC = {
  TRANSACTION_SG: 0x40486311,
  REPLY_SG: 0x40486312,
  FREE_BUFFER: 0x40086303,
  ACQUIRE: 0x40046305,
  RELEASE: 0x40046306,
  INCREFS_DONE: 0x40106308,
  ACQUIRE_DONE: 0x40106309,
  ENTER_LOOPER: 0x0000630c,
  EXIT_LOOPER: 0x0000630d,
  REQUEST_DEATH_NOTIFICATION: 0x400c630e,
  CLEAR_DEATH_NOTIFICATION: 0x400c630f,
  DEAD_BINDER_DONE: 0x40086310,
} as const;

/** Returns of the driver. */
export const BR = {
  ERROR: 0x80047200,
  TRANSACTION_SEC_CTX: 0x80487202,
  TRANSACTION: 0x80407202,
  REPLY: 0x80407203,
  DEAD_REPLY: 0x00007205,
  TRANSACTION_COMPLETE: 0x00007206,
  INCREFS: 0x80107207,
  ACQUIRE: 0x80107208,
  RELEASE: 0x80107209,
  DECREFS: 0x8010720a,
  NOOP: 0x0000720c,
  SPAWN_LOOPER: 0x0000720d,
  DEAD_BINDER: 0x8008720f,
  CLEAR_DEATH_NOTIFICATION_DONE: 0x80087210,
  FAILED_REPLY: 0x00007211,
  FROZEN_REPLY: 0x00007212,
  ONEWAY_SPAM_SUSPECT: 0x00007213,
  TRANSACTION_PENDING_FROZEN: 0x00007214,
} as const;

/** Returns the bytes that follow a command or a return: the size in its number. */
export function payloadSize(command: number): number {
  return command >>> 16 & 0x3fff;
}

/** `struct binder_transaction_data`, and the size of buffers that follows when sending. */
export const TRANSACTION = {
  target: 0,
  cookie: 8,
  code: 16,
  flags: 20,
  senderPid: 24,
  senderUid: 28,
  dataSize: 32,
  offsetsSize: 40,
  buffer: 48,
  offsets: 56,
  buffersSize: 64,
  size: 72,
} as const;

/** Flags of a transaction. */
export const FLAG = { ONE_WAY: 1, STATUS_CODE: 8, ACCEPT_FDS: 0x10 } as const;

/** The types of objects in data. */
export const OBJECT = {
  BINDER: 0x73622a85,
  HANDLE: 0x73682a85,
  FD: 0x66642a85,
  FDA: 0x66646185,
  PTR: 0x70742a85,
} as const;

/** The flags that `flat_binder_object` needs: file descriptors are welcome, the lowest priority is nice 19. */
export const OBJECT_FLAGS = 0x113;

/** `struct flat_binder_object`, and `struct binder_fd_object` in the same places. */
export const FLAT = { type: 0, flags: 4, binder: 8, cookie: 16, size: 24 } as const;
/** `struct binder_buffer_object`. */
export const BUFFER = { type: 0, flags: 4, buffer: 8, length: 16, parent: 24, parentOffset: 32, size: 40 } as const;
/** The flag of a buffer object whose address stands in another buffer. */
export const HAS_PARENT = 1;
/** `struct binder_fd_array_object`. */
export const FD_ARRAY = { type: 0, count: 8, parent: 16, parentOffset: 24, size: 32 } as const;

/** A reader with fewer bytes gets nothing, for ever. */
export const READ_SIZE = 1024;
