import { NativeBlock } from "../../ffi/block.ts";
import { closeDescriptor } from "../../ffi/file_descriptor.ts";
import { invoke } from "../../ffi/machine.ts";
import { libc, libcAddress } from "../../ffi/libc.ts";
import { pixelFormatOfHal } from "../pixel_format.ts";
import { type BufferMemory, type BufferRequest, GraphicBuffer } from "./graphic_buffer.ts";
import { enterBuffer } from "./known_buffers.ts";
import { layoutRuleOf } from "./layout_rule.ts";

const NATIVE_HANDLE_VERSION = 12, PAGE = 4096;
let last = 0n;

/** Allocates a buffer as the request and the layout rule that its private usage bits name want it. */
export function allocateBuffer(request: BufferRequest): GraphicBuffer {
  const { width, height, format, usage } = request, bytes = pixelFormatOfHal(format)!.bytesPerPixel;
  const asked = layoutRuleOf(usage)?.(request), rowPitch = asked?.rowPitch ?? (width * bytes + 63 & ~63);
  const memory = allocateMemory(asked?.size ?? rowPitch * height), handle = new NativeBlock(12 + 4);
  [NATIVE_HANDLE_VERSION, 1, 0, memory.fd].forEach((each, index) => handle.view.setInt32(4 * index, each, true));
  const entry = enterBuffer(handle.address, () => {
    handle.close();
    memory.close();
  });
  const stride = rowPitch / bytes, close = entry.leave;
  const buffer = new GraphicBuffer(request, { id: ++last, stride, rowPitch, memory, handle: handle.address, close });
  entry.set(buffer);
  return buffer;
}

function allocateMemory(wanted: number): BufferMemory {
  const size = Math.ceil(wanted / PAGE) * PAGE, name = new TextEncoder().encode("gralloc\0");
  const fd = libc().memfd_create(name, 3);
  invoke(libcAddress("ftruncate"), "s:sq", [fd, BigInt(size)]); // int ftruncate(int fd, off_t length)
  const address = libc().mmap(0n, BigInt(size), 3, 1, fd, 0n);
  return {
    fd,
    address,
    size,
    close() {
      libc().munmap(address, BigInt(size));
      closeDescriptor(fd);
    },
  };
}
