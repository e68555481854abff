import { closeDescriptor } from "../../ffi/file/file_descriptor.ts";
import { createSocketPair, isSocket } from "../../ffi/file/unix_socket.ts";
import { kindOfDescriptor, noDescriptor } from "../../wsi/fence/descriptor.ts";
import { fenceWorker } from "../../wsi/fence/fence_worker.ts";
import type { NativeFence } from "../../wsi/fence/native_fence.ts";

/**
 * Fences for another process, which must not wait for ever when this one dies.
 * The kernel's own fences, sync_files, do without us; an eventfd would never be
 * written to. So others become one end of a pair of sockets, of which this
 * process has the other: when it writes the time there, or dies, the fence is
 * signalled.
 */
export class FenceRelay {
  #letGo: (() => void) | undefined;

  /** A file descriptor of a fence, which the caller owns; -1 for a signalled fence. The fence stays unchanged. */
  descriptorOf(fence: NativeFence): number {
    if (fence.poll()) return -1;
    const copy = fence.dup();
    let fd = -1;
    try {
      fd = copy.take();
    } finally {
      copy.close();
    }
    if (fd < 0 || isSafe(fd)) return fd;
    try {
      return this.#relayed(fd);
    } finally {
      closeDescriptor(fd);
    }
  }

  /** No more fences are sent; those that were are carried over all the same. */
  close(): void {
    this.#letGo?.();
    this.#letGo = undefined;
  }

  /** The fence worker writes, so that it happens also while this thread is blocked; it is not to start anew with each frame. */
  #relayed(fd: number): number {
    const pair = createSocketPair();
    if (!pair) throw noDescriptor("a fence for another process");
    const [far, event] = pair;
    try {
      this.#letGo ??= fenceWorker().keep();
      fenceWorker().writeEventWhenReadable({ fds: [fd], event });
      return far;
    } catch (error) {
      closeDescriptor(far);
      throw error;
    } finally {
      closeDescriptor(event); // the worker has one of its own
    }
  }
}

/** Whether the kernel signals a fence when this process dies. */
function isSafe(fd: number): boolean {
  return isSocket(fd) || kindOfDescriptor(fd) === "sync_file";
}
