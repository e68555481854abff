import { callLibc } from "../../../ffi/invoke.ts";
import { closeDescriptor, openFile, readFirstBytes } from "../../../ffi/file/file_descriptor.ts";
import type { PageFiles } from "../../../ffi/arena_memory.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { libc } from "../../../ffi/libc.ts";
import type { Mover, Peer } from "./transport.ts";

/** The numbers of pidfd_open and pidfd_getfd among the kernel's functions, on both processors. */
const PIDFD_OPEN = 434n, PIDFD_GETFD = 438n;
const POLLIN = 1;
/** The number of tgkill. */
const TGKILL = { x86_64: 234n, aarch64: 131n }[Deno.build.arch];
/** `ssize_t process_vm_readv(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long)` */
const MOVE = "s:sqqqqq";
/** The places of the two `iovec`s in the block, behind a `pollfd`. */
const OWN = 16n, THEIRS = 32n;
/** The functions that move memory by a file, where the kernel moves none between processes. */
const BY_FILE = { process_vm_readv: "pread64", process_vm_writev: "pwrite64" } as const;
const O_RDONLY = 0, O_RDWR = 2;
/** Addresses below are no memory. */
const LEAST = 4096n;

/** A process of this machine and user. */
export class LocalPeer implements Peer, Mover {
  /** Process id. */
  readonly process: number;
  /** The pages that are read at once: one, since reading costs little. */
  readonly ahead: number = 1;
  readonly #descriptor: number;
  readonly #block = new NativeBlock(64);
  /** The file of the process's memory; -1 where the kernel moves memory without a file. */
  readonly #memory: number;
  #pages: PageFiles | undefined;
  /** Whether the process's auxiliary vector can be read while the process lives. */
  readonly #showsVector: boolean;

  /** Opens a process. */
  constructor(process: number) {
    this.process = process;
    this.#descriptor = callLibc("syscall", "s:qqq", PIDFD_OPEN, BigInt(process), 0n);
    this.#block.view.setInt32(0, this.#descriptor, true);
    this.#block.view.setInt16(4, POLLIN, true);
    this.#showsVector = this.auxiliary.length > 0;
    this.#memory = this.#canMove() ? -1 : openFile(`/proc/${process}/mem`, O_RDWR);
  }

  /** The peer itself. */
  get mover(): Mover {
    return this;
  }

  /** See {@linkcode Peer.isGone}. */
  get isGone(): boolean {
    return this.endsWithin(0);
  }

  /** See {@linkcode Peer.endsWithin}. There is no descriptor of a process that had ended before, and on old kernels. */
  endsWithin(milliseconds: number): boolean {
    if (this.#descriptor < 0) return !this.hasThread(this.process);
    return callLibc("poll", "s:qqs", this.#block.address, 1n, milliseconds) > 0;
  }

  /** See {@linkcode Peer.isEnding}. The kernel has no auxiliary vector of a process without memory. */
  get isEnding(): boolean {
    return this.isGone || this.#showsVector && this.auxiliary.length === 0;
  }

  /** See {@linkcode Peer.auxiliary}. */
  get auxiliary(): BigUint64Array {
    const { buffer, byteLength } = readFirstBytes(`/proc/${this.process}/auxv`);
    return new BigUint64Array(buffer, 0, Math.floor(byteLength / 8));
  }

  /** See {@linkcode Peer.hasThread}. */
  hasThread(thread: number): boolean {
    return callLibc("syscall", "s:qqqq", TGKILL, BigInt(this.process), BigInt(thread), 0n) === 0;
  }

  /** See {@linkcode Peer.pages}. */
  pages(theirs: number): PageFiles | undefined {
    const fault = callLibc("syscall", "s:qqqq", PIDFD_GETFD, BigInt(this.#descriptor), BigInt(theirs), 0n);
    if (fault < 0) return undefined;
    const pagemap = openFile(`/proc/${this.process}/pagemap`, O_RDONLY);
    if (pagemap >= 0) return this.#pages = { fault, pagemap };
    closeDescriptor(fault);
  }

  /** See {@linkcode Mover.read}. */
  read(own: bigint, theirs: bigint, size: number): number {
    return this.#move("process_vm_readv", own, theirs, size);
  }

  /** See {@linkcode Mover.write}. */
  write(own: bigint, theirs: bigint, size: number): number {
    return this.#move("process_vm_writev", own, theirs, size);
  }

  /** See {@linkcode Peer.close}. */
  close(): void {
    this.#block.close();
    if (this.#descriptor >= 0) libc().close(this.#descriptor);
    closeDescriptor(this.#memory);
    for (const each of Object.values(this.#pages ?? {})) closeDescriptor(each);
  }

  /**
   * Whether the kernel moves memory between processes. An emulator and the filter of a container may forbid that, even
   * within a process.
   */
  #canMove(): boolean {
    const { address } = this.#block;
    this.#list(address, address, 8);
    return callLibc("process_vm_readv", MOVE, Deno.pid, address + OWN, 1n, address + THEIRS, 1n, 0n) === 8;
  }

  /** Writes the two `iovec`s. */
  #list(own: bigint, theirs: bigint, size: number): void {
    const { view } = this.#block;
    [own, BigInt(size), theirs, BigInt(size)].forEach((value, index) => view.setBigUint64(16 + 8 * index, value, true));
  }

  #move(call: "process_vm_readv" | "process_vm_writev", own: bigint, theirs: bigint, size: number): number {
    const { address } = this.#block;
    if (theirs < LEAST || theirs >> 63n !== 0n) return 0;
    if (this.#memory >= 0) {
      return Math.max(0, callLibc(BY_FILE[call], "s:sqqq", this.#memory, own, BigInt(size), theirs));
    }
    this.#list(own, theirs, size);
    return Math.max(0, callLibc(call, MOVE, this.process, address + OWN, 1n, address + THEIRS, 1n, 0n));
  }
}
