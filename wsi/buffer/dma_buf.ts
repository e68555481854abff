import { arena, inFrame } from "../../ffi/arena.ts";
import {
  closeDescriptor,
  controlDevice,
  createMemoryFile,
  openFile,
  resizeFile,
  sealAgainstShrinking,
} from "../../ffi/file/file_descriptor.ts";

/** `UDMABUF_CREATE` of `linux/udmabuf.h`, `DMA_HEAP_IOCTL_ALLOC` of `linux/dma-heap.h`. */
const UDMABUF_CREATE = 0x40187542, DMA_HEAP_IOCTL_ALLOC = 0xc0184800;
const O_RDWR = 2, O_CLOEXEC = 0o2000000, UDMABUF_FLAGS_CLOEXEC = 1;

/** The system calls for a dma-buf; tests replace them. */
export interface DmaBufSystem {
  /** Opens a device; -1 if it is not there or not allowed. */
  open(path: string, flags: number): number;
  /** ioctl with an argument at an arena offset. */
  control(fd: number, request: number, at: number): number;
}

const SYSTEM: DmaBufSystem = { open: openFile, control: controlDevice };

/**
 * A dma-buf of so many bytes, whole pages, that devices and the CPU can use:
 * from `/dev/dma_heap/system`, which only root may open on most systems, or
 * from a memfd by `/dev/udmabuf`, which newer desktops let their user open. -1
 * where there is neither.
 */
export function dmaBuf(size: number, system: DmaBufSystem = SYSTEM): number {
  const fd = fromHeap(size, system);
  return fd >= 0 ? fd : fromMemoryFile(size, system);
}

function fromHeap(size: number, system: DmaBufSystem): number {
  return withDevice("/dev/dma_heap/system", system, (heap) => {
    const memory = arena(), at = memory.alloc(24);
    memory.view.setBigUint64(at, BigInt(size), true);
    memory.view.setUint32(at + 8, 0, true);
    memory.view.setUint32(at + 12, O_RDWR | O_CLOEXEC, true);
    memory.view.setBigUint64(at + 16, 0n, true);
    return system.control(heap, DMA_HEAP_IOCTL_ALLOC, at) < 0 ? -1 : memory.view.getInt32(at + 8, true);
  });
}

function fromMemoryFile(size: number, system: DmaBufSystem): number {
  return withDevice("/dev/udmabuf", system, (device) => {
    const file = createMemoryFile("gralloc");
    try {
      // The device takes only what can't become smaller.
      if (!resizeFile(file, BigInt(size)) || !sealAgainstShrinking(file)) return -1;
      const memory = arena(), at = memory.alloc(24);
      memory.view.setInt32(at, file, true);
      memory.view.setUint32(at + 4, UDMABUF_FLAGS_CLOEXEC, true);
      memory.view.setBigUint64(at + 8, 0n, true);
      memory.view.setBigUint64(at + 16, BigInt(size), true);
      return system.control(device, UDMABUF_CREATE, at);
    } finally {
      closeDescriptor(file);
    }
  });
}

function withDevice(path: string, system: DmaBufSystem, make: (device: number) => number): number {
  const device = system.open(path, O_RDWR);
  if (device < 0) return -1;
  try {
    return inFrame(() => make(device));
  } finally {
    closeDescriptor(device);
  }
}

/** `DMA_BUF_IOCTL_SYNC` of `linux/dma-buf.h`. */
const DMA_BUF_IOCTL_SYNC = 0x40086200;
/** Access that reads. */
export const READ = 1;

/**
 * Tells the kernel that the CPU begins or ends to read (1), write (2) or both (3) a dma-buf. Returns whether the file
 * descriptor is a dma-buf.
 */
export function syncDmaBuf(fd: number, access: number, ends: boolean, system: DmaBufSystem = SYSTEM): boolean {
  return inFrame((memory) => {
    const at = memory.alloc(8);
    memory.view.setBigUint64(at, BigInt(access | (ends ? 4 : 0)), true);
    return system.control(fd, DMA_BUF_IOCTL_SYNC, at) >= 0;
  });
}

/** Whether a file descriptor is a dma-buf, whose size never changes. */
export function isDmaBuf(fd: number, system: DmaBufSystem = SYSTEM): boolean {
  return syncDmaBuf(fd, READ, false, system) && syncDmaBuf(fd, READ, true, system);
}
