import {
  closeDescriptor,
  createMemoryFile,
  errorName,
  fileSize,
  lastError,
  resizeFile,
  sealAgainstShrinking,
} from "../../ffi/file/file_descriptor.ts";
import { libc } from "../../ffi/libc.ts";
import { WsiError } from "../error.ts";
import { dmaBuf } from "./dma_buf.ts";
import { USAGE } from "./usage.ts";

/** The kind of a buffer's memory. */
export type MemoryKind = "memfd" | "anonymous" | "dma-buf";

/** The memory of a buffer. */
export interface BufferMemory {
  /** The memfd or dma-buf, or -1 for anonymous memory. The buffer owns it. */
  readonly fd: number;
  /** Address of the mapping of the whole memory. */
  readonly address: bigint;
  /** Mapped bytes. */
  readonly size: number;
  /** The kind of memory. */
  readonly kind?: MemoryKind;
  /** Unmaps the memory and closes the file descriptor. */
  close(): void;
}

/** The unit of memory allocation. */
export const PAGE = 4096;
const PROT_NONE = 0, PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_FIXED = 0x10, MAP_PRIVATE_ANONYMOUS = 0x22;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

/** Devices that take a dma-buf and cannot take a memfd. */
const DEVICES = USAGE.COMPOSER_OVERLAY | USAGE.COMPOSER_CURSOR | USAGE.VIDEO_ENCODER | USAGE.VIDEO_DECODER |
  USAGE.CAMERA_INPUT | USAGE.CAMERA_OUTPUT;

/**
 * Zeroed memory for a buffer. A layout rule's wish comes first. Else, if a
 * device other than the GPU uses the buffer and the machine can make a dma-buf,
 * the memory is a dma-buf. Else it is a memfd, which other processes can
 * receive and every software driver imports. With `isGuarded`, an access behind
 * the memory ends the process. Throws a {@linkcode WsiError} `out-of-memory` or
 * `out-of-descriptors`.
 */
export function allocateMemory(wanted: number, usage: bigint, wish?: MemoryKind, isGuarded = false): BufferMemory {
  const size = Math.ceil(wanted / PAGE) * PAGE;
  if (wish === "anonymous") return map(-1, size, "anonymous", isGuarded);
  if (wish === "dma-buf" || wish === undefined && (usage & DEVICES) !== 0n) {
    const fd = dmaBuf(size);
    if (fd >= 0) return map(fd, size, "dma-buf", isGuarded);
  }
  return map(memoryFile(size), size, "memfd", isGuarded);
}

/**
 * Maps memory that another owner allocated. Takes the file descriptor over, even on failure. With `isOptional`, memory
 * that the system does not map, as that of some GPUs, has the address 0n.
 */
export function mapMemory(fd: number, size: number, kind: MemoryKind = "memfd", isOptional = false): BufferMemory {
  const has = fileSize(fd);
  if (has >= BigInt(size)) return map(fd, size, kind, false, isOptional);
  const what = has < 0n ? `is no memory: ${errorName(lastError())}` : `has ${has} bytes of the ${size} it should have`;
  closeDescriptor(fd);
  throw new WsiError("bad-handle", `Cannot import a buffer: its file ${what}`);
}

function memoryFile(size: number): number {
  const fd = createMemoryFile("gralloc");
  if (fd >= 0 && resizeFile(fd, BigInt(size)) && sealAgainstShrinking(fd)) return fd;
  const reason = errorName(lastError());
  closeDescriptor(fd);
  if (fd >= 0) throw new WsiError("out-of-memory", `Cannot allocate ${size} bytes for a buffer: ${reason}`);
  const advice = "close files, or raise ulimit -n";
  throw new WsiError("out-of-descriptors", `Cannot make a memory file for a buffer: ${reason}; ${advice}`);
}

/**
 * Maps all of a file, or anonymous memory, and owns it from now on. A guard stands on both sides: another mapping of
 * the file often comes to lie directly below.
 */
function map(fd: number, size: number, kind: MemoryKind, isGuarded = false, isOptional = false): BufferMemory {
  const length = BigInt(size), guard = isGuarded ? BigInt(PAGE) : 0n, reserved = length + 2n * guard;
  const flags = (fd < 0 ? MAP_PRIVATE_ANONYMOUS : MAP_SHARED) | (isGuarded ? MAP_FIXED : 0);
  const at = isGuarded ? libc().mmap(0n, reserved, PROT_NONE, MAP_PRIVATE_ANONYMOUS, -1, 0n) : 0n;
  const address = at === MAP_FAILED ? at : libc().mmap(at && at + guard, length, PROT_READ_WRITE, flags, fd, 0n);
  if (address === MAP_FAILED && isOptional) {
    return { fd, address: 0n, size, kind, close: once(() => closeDescriptor(fd)) };
  }
  if (address === MAP_FAILED) {
    const reason = errorName(lastError());
    if (isGuarded && at !== MAP_FAILED) libc().munmap(at, reserved);
    closeDescriptor(fd);
    throw new WsiError("out-of-memory", `Cannot map ${size} bytes for a buffer: ${reason}; free memory`);
  }
  const close = once(() => {
    libc().munmap(address - guard, reserved);
    closeDescriptor(fd);
  });
  return { fd, address, size, kind, close };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
