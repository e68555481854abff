import { inFrame } from "../../../../ffi/arena.ts";
import { closeDescriptor, controlDevice, openFile } from "../../../../ffi/file/file_descriptor.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";

/** `SW_SYNC_IOC_CREATE_FENCE`, `SW_SYNC_IOC_INC` of the kernel's sw_sync.c; `struct sw_sync_create_fence_data`. */
const CREATE_FENCE = 0xc0285700, INC = 0x40045701, DATA = { value: 0, fence: 36, size: 40 };
const O_RDWR = 2;

/** A timeline of the kernel, whose sync_files a test signals. */
export class SwSync implements Disposable {
  readonly #fd = openFile("/sys/kernel/debug/sync/sw_sync", O_RDWR);
  #last = 0;

  /** A sync_file that is signalled when all fences before it are and this timeline has advanced once more. */
  fence(): NativeFence {
    return inFrame((memory) => {
      const at = memory.alloc(DATA.size);
      memory.bytes.fill(0, at, at + DATA.size);
      memory.view.setUint32(at + DATA.value, ++this.#last, true);
      if (controlDevice(this.#fd, CREATE_FENCE, at) !== 0) throw new Error("the kernel has no sw_sync");
      return NativeFence.adopt(memory.view.getInt32(at + DATA.fence, true));
    });
  }

  /** Signals the oldest fence that is pending. */
  advance(): void {
    inFrame((memory) => {
      const at = memory.alloc(4);
      memory.view.setUint32(at, 1, true);
      controlDevice(this.#fd, INC, at);
    });
  }

  [Symbol.dispose](): void {
    closeDescriptor(this.#fd);
  }
}
