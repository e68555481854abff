/**
 * The way of a question from a thread of another program to a layer of this process.
 *
 * ```text
 *   program                                  shared memory                      this process
 *
 *   vkQueueSubmit on thread T                +-- head: bell, subscribed ---+
 *     layer library, machine code            |                             |
 *     is the command subscribed?  <----------+  a byte for each command    |
 *       never: straight to the next          |                             |
 *       noted: an entry of the ring ---------+> ring of notes -------------+--> read when there is time
 *       over:  a slot, the bell -------------+> slots -------------------- +--> hooks run, in JavaScript
 *     T sleeps on the slot's state  <--------+  state, arguments, result   |
 *                                            +-----------------------------+
 * ```
 *
 * A slot holds one call until the call is over. The thread writes even states, the server odd ones, and whoever waits
 * sleeps on the state by futex:
 *
 * ```text
 *   free -> taken -> called ──> served ──> over ──> free          a hook that answers by itself
 *                                 |  ^
 *                                 v  |
 *                               request ──> done                  next(): the thread makes the call, and comes back
 *                    called ─────────────> pass                   nobody subscribes any more: the thread goes on below
 *                    called ──> abandoned                         the thread's patience ends; the server frees the slot
 * ```
 *
 * The memory lies at the same address in both processes, so that structs are read where the program put them or are copied
 * once. Programs whose address space has that place taken, programs in other containers and phones use sockets instead,
 * with the same states in messages (socket_channel.ts).
 *
 * @module
 */

import { arena, inFrame } from "../../../ffi/arena.ts";
import { exchangeArenaMemory } from "../../../ffi/arena_memory.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { NativeError } from "../../../ffi/error.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { libc, libcAddress } from "../../../ffi/libc.ts";
import { bindNonblocking, type NonblockingFunction } from "../../../ffi/stubs.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { CHANNEL_SIZE, HEAD, MAGIC, RING_AT, SLOT, slotPlaces, SLOTS, STATE } from "../layout.ts";
import type { CopyStep } from "./copies.ts";
import type { Processor } from "../commands.ts";
import type { ChannelPlace } from "../library/parts.ts";
import { LocalPeer } from "./local_peer.ts";
import { Lookout } from "./lookout.ts";
import { writePlans } from "./plans.ts";
import type { Peer, Transport } from "./transport.ts";

const MFD_CLOEXEC = 1, LOCK_EXCLUSIVE_AT_ONCE = 6, READ_WRITE = 3, MAP_SHARED = 1;
/** The number of futex among the kernel's functions. */
const FUTEX = { x86_64: 202n, aarch64: 98n }[Deno.build.arch];
const FUTEX_WAIT = 0n, FUTEX_WAKE = 1n, ALL = 0x7fff_ffffn;
/** The signature of the kernel's functions: futex has six arguments. */
const SYSCALL = "s:qqqqqqq";

/**
 * The memory that programs share with this process: a memory file with the
 * channel, and behind it the arena of this isolate. A lock on the file lasts as
 * long as this process.
 */
export class Channel implements Transport, Disposable {
  /** The place of the memory in programs. */
  readonly place: ChannelPlace;
  /** Programs run on this machine. */
  readonly processor: Processor = Deno.build.arch;
  /** The channel. */
  readonly view: DataView;
  /** The same memory as words of 32 bits, for changes in one step. */
  readonly #words: Int32Array;
  readonly #file: number;
  readonly #times = new NativeBlock(16);
  readonly #wait: NonblockingFunction;
  readonly #lookout = new Lookout();

  /** Makes the memory, and shares the arena. There is one channel per isolate. */
  constructor(patience: number) {
    const memory = arena();
    this.#file = makeFile(CHANNEL_SIZE + memory.size);
    const channel = mapNear(memory.base, this.#file);
    exchangeArenaMemory(usedArena(), { descriptor: this.#file, offset: CHANNEL_SIZE });
    const buffer = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(channel)!, CHANNEL_SIZE);
    this.view = new DataView(buffer);
    this.#words = new Int32Array(buffer);
    this.#wait = bindNonblocking(SYSCALL, libcAddress("syscall"));
    this.place = {
      path: `/proc/${Deno.pid}/fd/${this.#file}`,
      channel,
      channelSize: CHANNEL_SIZE,
      scratch: memory.base,
      scratchSize: memory.size,
    };
    const head = {
      [HEAD.magic]: MAGIC,
      [HEAD.open]: 1n,
      [HEAD.server]: BigInt(Deno.pid),
      [HEAD.patience]: BigInt(patience),
      [HEAD.cursor]: channel + BigInt(RING_AT),
    };
    for (const [at, value] of Object.entries(head)) this.view.setBigUint64(Number(at), value, true);
  }

  /** See {@linkcode Transport.peer}. */
  peer(process: number): Peer {
    return new LocalPeer(process);
  }

  /** The number of rings of the bell, as far as 32 bits count. */
  get bell(): number {
    return Atomics.load(this.#words, HEAD.bell / 4);
  }

  /** Whether calls are answered. Programs pass on all calls of a channel that is not open. */
  get isOpen(): boolean {
    return this.view.getUint32(HEAD.open, true) === 1;
  }

  /** Sets the treatment of a command's calls: one of {@linkcode HANDED}. */
  hand(command: number, how: number): void {
    this.view.setUint8(HEAD.subscribed + command, how);
  }

  #slots: readonly number[] = [];

  /** See {@linkcode Transport.slots}. */
  get slots(): readonly number[] {
    const most = Math.min(SLOTS, Atomics.load(this.#words, HEAD.mostSlots / 4));
    return this.#slots.length >= most ? this.#slots : this.#slots = slotPlaces(most);
  }

  /** See {@linkcode Transport.allowLate}. */
  allowLate(thread: number): boolean {
    this.view.setBigUint64(HEAD.lateThread, BigInt(thread), true);
    return true;
  }

  /** The state of a slot. */
  state(slot: number): number {
    return Atomics.load(this.#words, slot / 4);
  }

  /** Changes a slot's state in one step. Returns `false` if the state was another. */
  change(slot: number, from: number, to: number): boolean {
    if (Atomics.compareExchange(this.#words, slot / 4, from, to) !== from) return false;
    if (Atomics.load(this.#words, (slot + SLOT.asleep) / 4) === 0) return true;
    callLibc("syscall", SYSCALL, FUTEX, this.place.channel + BigInt(slot), FUTEX_WAKE, ALL, 0n, 0n, 0n);
    return true;
  }

  /** Frees a slot or a note, for which no thread waits. */
  free(slot: number): void {
    Atomics.store(this.#words, slot / 4, STATE.free);
  }

  /** See {@linkcode Transport.allowNotes}. */
  allowNotes(): void {
    this.view.setBigUint64(HEAD.isNoting, 1n, true);
  }

  /** See {@linkcode Transport.watchPages}. */
  watchPages(): void {
    this.view.setBigUint64(HEAD.watches, 1n, true);
  }

  /** See {@linkcode Transport.planCopies}. */
  planCopies(plans: ReadonlyMap<number, readonly CopyStep[]>): void {
    writePlans(this.view, this.place.channel, plans);
  }

  /** The number of calls that found no room to be noted. */
  get lost(): number {
    return Number(this.view.getBigUint64(HEAD.lost, true));
  }

  /** See {@linkcode Transport.hear}: what programs write is there at once. */
  hear(): void {}

  /** Waits until the bell differs from a value, at most so many milliseconds, without blocking this thread. */
  async wait(bell: number, milliseconds: number): Promise<void> {
    this.#sleep(1);
    await this.#wait(...this.#waiting(bell, milliseconds));
    this.#sleep(0);
  }

  /** The same, and blocks this thread. Most rings come so soon that the thread does not sleep. */
  waitHere(bell: number, milliseconds: number): void {
    if (this.#lookout.look(this.#words, HEAD.bell / 4, bell)) return;
    const since = performance.now();
    this.#sleep(1);
    callLibc("syscall", SYSCALL, ...this.#waiting(bell, milliseconds));
    this.#sleep(0);
    this.#lookout.slept(performance.now() - since);
  }

  /** Notes whether this thread sleeps. The kernel looks at the bell afterwards. */
  #sleep(isAsleep: 0 | 1): void {
    Atomics.store(this.#words, HEAD.asleep / 4, isAsleep);
  }

  /** Wakes the thread of this process that waits for the bell. */
  ring(): void {
    Atomics.add(this.#words, HEAD.bell / 4, 1);
    callLibc("syscall", SYSCALL, FUTEX, this.place.channel + BigInt(HEAD.bell), FUTEX_WAKE, ALL, 0n, 0n, 0n);
  }

  /** Lets programs go on without this process. The memory stays until {@linkcode Channel.close}. */
  shut(): void {
    this.view.setBigUint64(HEAD.open, 0n, true);
  }

  /** Gives the memory back. No thread may be waiting for the bell. */
  close(): void {
    exchangeArenaMemory(usedArena());
    libc().munmap(this.place.channel, BigInt(CHANNEL_SIZE));
    libc().close(this.#file);
    this.#times.close();
  }

  /** Gives the memory back at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #waiting(bell: number, milliseconds: number): bigint[] {
    this.#times.view.setBigUint64(0, BigInt(Math.floor(milliseconds / 1000)), true);
    this.#times.view.setBigUint64(8, BigInt(Math.floor(milliseconds % 1000 * 1e6)), true);
    const at = this.place.channel + BigInt(HEAD.bell);
    return [FUTEX, at, FUTEX_WAIT, BigInt(bell >>> 0), this.#times.address, 0n, 0n];
  }
}

function makeFile(size: number): number {
  const file = libc().memfd_create(cstring("pumice-layers"), MFD_CLOEXEC);
  if (file >= 0 && callLibc("ftruncate", "s:sq", file, BigInt(size)) === 0) {
    callLibc("flock", "s:ss", file, LOCK_EXCLUSIVE_AT_ONCE);
    return file;
  }
  if (file >= 0) libc().close(file);
  throw new NativeError("unsupported", `Cannot make a memory file of ${size} bytes: the system refuses`);
}

/** Maps the channel below the arena, where programs have room, too. */
function mapNear(base: bigint, file: number): bigint {
  const wanted = base - 0x1000_0000n;
  const at = libc().mmap(wanted, BigInt(CHANNEL_SIZE), READ_WRITE, MAP_SHARED, file, 0n);
  if (at !== 0xffff_ffff_ffff_ffffn) return at;
  libc().close(file);
  throw new NativeError("out-of-memory", `Cannot map ${CHANNEL_SIZE} bytes for the channel: free memory`);
}

/** The number of bytes of the arena in use. */
function usedArena(): number {
  return inFrame((memory) => memory.alloc(0));
}
