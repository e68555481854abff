import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import {
  closeDescriptor,
  createMemoryFile,
  duplicate,
  fileSize,
  resizeFile,
} from "../../../ffi/file/file_descriptor.ts";
import { dmaBuf, type DmaBufSystem, isDmaBuf, syncDmaBuf } from "../../../wsi/buffer/dma_buf.ts";
import { allocateMemory } from "../../../wsi/buffer/memory.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { openFiles } from "../../support/open_files.ts";

const UDMABUF_CREATE = 0x40187542, DMA_HEAP_IOCTL_ALLOC = 0xc0184800;

/** A system with one of the devices, whose dma-bufs are the memory files that stand for them. */
function system(has: string, fails = false): DmaBufSystem & { opened: string[] } {
  const opened: string[] = [], { view } = arena();
  return {
    opened,
    open(path) {
      opened.push(path);
      return path === has ? createMemoryFile("device") : -1;
    },
    control(_fd, request, at) {
      if (fails) return -1;
      if (request === UDMABUF_CREATE) {
        const memfd = view.getInt32(at, true), size = view.getBigUint64(at + 16, true);
        assertEquals([view.getUint32(at + 4, true), view.getBigUint64(at + 8, true)], [1, 0n]);
        assertEquals([fileSize(memfd), resizeFile(memfd, 1n)], [size, false]); // sealed
        return duplicate(memfd);
      }
      assertEquals([request, view.getUint32(at + 12, true)], [DMA_HEAP_IOCTL_ALLOC, 0o2000002]);
      const made = createMemoryFile("heap");
      resizeFile(made, view.getBigUint64(at, true));
      view.setInt32(at + 8, made, true);
      return 0;
    },
  };
}

for (const device of ["/dev/dma_heap/system", "/dev/udmabuf"]) {
  Deno.test(`dmaBuf() asks ${device} and closes everything but the result`, () => {
    closeDescriptor(dmaBuf(8192, system(device)));
    const files = openFiles(), fd = dmaBuf(8192, system(device));
    assertEquals([fileSize(fd), openFiles() <= files + 1], [8192n, true]);
    closeDescriptor(fd);
    assertEquals([dmaBuf(8192, system(device, true)), openFiles() <= files], [-1, true]);
  });
}

Deno.test("dmaBuf() tries the heap first, and returns -1 if there is no allocator", () => {
  const none = system("");
  assertEquals([dmaBuf(4096, none), none.opened], [-1, ["/dev/dma_heap/system", "/dev/udmabuf"]]);
});

Deno.test("syncDmaBuf() announces the begin and the end of an access", () => {
  const flags: bigint[] = [];
  const recording: DmaBufSystem = {
    open: () => -1,
    control(_fd, request, at) {
      assertEquals(request, 0x40086200);
      return flags.push(arena().view.getBigUint64(at, true));
    },
  };
  syncDmaBuf(7, 3, false, recording);
  syncDmaBuf(7, 1, true, recording);
  assertEquals(flags, [3n, 5n]);
});

Deno.test("isDmaBuf() knows a dma-buf by what the kernel lets be done with it", () => {
  const file = createMemoryFile("test"), asked: bigint[] = [];
  assertEquals(isDmaBuf(file), false);
  const control = (_fd: number, _request: number, at: number) => asked.push(arena().view.getBigUint64(at, true));
  assertEquals([isDmaBuf(file, { open: () => -1, control }), asked], [true, [1n, 5n]]);
  closeDescriptor(file);
});

Deno.test("allocateMemory() takes a memfd where no device needs more, anonymous memory where asked", () => {
  const kind = (usage: bigint, wish?: "anonymous") => {
    const memory = allocateMemory(5000, usage, wish);
    memory.close();
    memory.close();
    return [memory.kind, memory.size, memory.fd >= 0];
  };
  assertEquals(kind(USAGE.CPU_READ_OFTEN), ["memfd", 8192, true]);
  assertEquals(kind(USAGE.COMPOSER_OVERLAY, "anonymous"), ["anonymous", 8192, false]);
});
