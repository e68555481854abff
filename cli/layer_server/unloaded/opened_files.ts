import { cstring } from "../../../ffi/cstring.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { callLibc } from "../../../ffi/file/libc_call.ts";
import { closeDescriptor, readInto } from "../../../ffi/file/file_descriptor.ts";

/** IN_NONBLOCK | IN_CLOEXEC, and IN_OPEN. */
const AT_ONCE = 0o2004000, OPENED = 0x20;
/** `struct inotify_event` of `sys/inotify.h`: where the length of the name is, and where the name begins. */
const EVENT = { length: 12, name: 16 } as const;
const ROOM = 16384;

/**
 * The files of a folder that any process opens, as the kernel tells: also those of a process that has ended, or that
 * has the folder elsewhere, as in a container.
 */
export class OpenedFiles implements Disposable {
  readonly #names = new Set<string>();
  readonly #watch: number;

  /** Watches a folder from now on. */
  constructor(folder: string) {
    this.#watch = callLibc("inotify_init1", "s:s", AT_ONCE);
    inFrame((memory) => {
      const path = cstring(folder), at = memory.alloc(path.length);
      memory.bytes.set(path, at);
      callLibc("inotify_add_watch", "s:sos", this.#watch, at, OPENED);
    });
  }

  /** Whether a file was opened so far; `false` where the kernel watches nothing. */
  has(name: string): boolean {
    while (this.#read());
    return this.#names.has(name);
  }

  /** Ends the watch. */
  [Symbol.dispose](): void {
    closeDescriptor(this.#watch);
  }

  /** Reads the events that have come. Returns whether there were any. */
  #read(): boolean {
    return inFrame((memory) => {
      const start = memory.alloc(ROOM), end = start + readInto(this.#watch, start, ROOM);
      for (let at = start; at + EVENT.name <= end;) {
        const length = memory.view.getUint32(at + EVENT.length, true), name = at + EVENT.name;
        this.#names.add(new TextDecoder().decode(memory.bytes.slice(name, name + length)).replace(/\0+$/, ""));
        at = name + length;
      }
      return end > start;
    });
  }
}
