import { pollDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { arena, inFrame } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { INVOKE } from "../../../ffi/emit/layout.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { libc, libcAddress } from "../../../ffi/libc.ts";
import { bindNonblocking, type NonblockingFunction } from "../../../ffi/stubs.ts";
import type { Processor } from "../commands.ts";
import {
  CHANNEL_SIZE,
  HANDED,
  HEAD,
  MAGIC,
  NOTE,
  PLANS_AT,
  RING_AT,
  SLOT,
  slotPlaces,
  SLOTS,
  STATE,
  STEPS_AT,
  STEPS_SIZE,
} from "../layout.ts";
import type { ChannelPlace } from "../library/parts.ts";
import { GREETING, GREETING_MAGIC, KEY_SIZE, KIND, ORDER, WELCOME } from "../messages.ts";
import { channelBelow, type LayerKeys } from "../keys.ts";
import type { CopyStep } from "./copies.ts";
import { NoteIntake, NoteLine } from "./notes.ts";
import { writePlans } from "./plans.ts";
import { acceptFrom, listenAt, receiveAll, receiveSome, sendAll } from "./socket.ts";
import type { SocketAddress } from "./socket_address.ts";
import { SocketPeer, Strangers } from "./socket_peer.ts";
import type { Peer, Transport } from "./transport.ts";

const POLLIN = 1, NOTE_WRITTEN = 2;
/** Bytes of the plans in a channel. */
const PLANS_SIZE = STEPS_AT + STEPS_SIZE - PLANS_AT;
/** The longest wait for the rest of a message, in milliseconds. */
const HALVES = 5000;

/** The parts that a {@linkcode SocketChannel} needs. */
export interface SocketSpec {
  /** The address to listen at. */
  readonly address: SocketAddress;
  /** The address to which programs connect, if that is another one. */
  readonly connect?: SocketAddress;
  readonly processor: Processor;
  readonly isAndroid: boolean;
  /** The time for which a thread of a program waits, in tenths of a second; 0 for no limit. */
  readonly patience: number;
  /** The keys that the two sides show each other. */
  readonly keys: LayerKeys;
  /** Hears of programs that are not heard. */
  readonly log: (message: string) => void;
}

/** The sentence about a program whose notes have no end. */
const CUT = "ended without a leave (a signal, _exit): of the calls that it noted last, up to 31 may be missing, " +
  "and more if this process was slow";

/** A program's connection: one call at a time. */
interface Line {
  readonly file: number;
  readonly slot: number;
  /** The number of the program; 0 until it has shown the key. */
  process: number;
  /** The message that is coming, and the number of its bytes that have come. */
  readonly block: NativeBlock;
  filled: number;
  /** Offset in the arena of the memory of the call that is being answered. */
  begin: number;
  /** Bytes of the arena that the program sends back after its answer. */
  lent: number;
  /** The line of notes from the connection, once it carries notes. */
  notes: NoteLine | undefined;
}

/** Calls of programs that connect to a socket. A connection without the key is closed. */
export class SocketChannel implements Transport {
  /** See {@linkcode Transport.place}. */
  readonly place: ChannelPlace;
  /** See {@linkcode Transport.processor}. */
  readonly processor: Processor;
  /** See {@linkcode Transport.view}. */
  readonly view: DataView = new DataView(new ArrayBuffer(CHANNEL_SIZE));
  /** See {@linkcode Transport.slots}. */
  slots: readonly number[] = [];
  /** See {@linkcode Transport.bell}. */
  bell: number = 0;
  readonly #path: string | undefined;
  readonly #strangers: Strangers;
  readonly #log: (message: string) => void;
  readonly #intake = new NoteIntake(this.view);
  /** The plans of copies for notes; `undefined` if there are none. */
  #plans: NativeBlock | undefined;
  readonly #listening: number;
  readonly #wake: number;
  readonly #lines = new Map<number, Line>();
  /** The head that programs get. */
  readonly #head = new NativeBlock(HEAD.size);
  /** The message that is sent. */
  readonly #order = new NativeBlock(ORDER.end + INVOKE.size);
  /** Two lists of `pollfd`s: one for each of the waiting functions. */
  readonly #polls = [new NativeBlock(8 * (SLOTS + 2)), new NativeBlock(8 * (SLOTS + 2))] as const;
  readonly #poll: NonblockingFunction;
  #programs = 0;
  /** The number of changes of the head, and the number that each program has. */
  #edition = 0;
  readonly #editions = new Map<number, number>();

  /** Listens. */
  constructor({ address, connect, processor, isAndroid, patience, keys, log }: SocketSpec) {
    const { base, size } = arena(), listening = listenAt(address);
    this.#strangers = new Strangers(log);
    this.#log = log;
    this.#path = address.path;
    this.#listening = listening.file;
    this.#wake = callLibc("eventfd", "s:ss", 0, 0x80800); // EFD_CLOEXEC | EFD_NONBLOCK
    this.#poll = bindNonblocking("s:qqs", libcAddress("poll"));
    this.processor = processor;
    this.#head.view.setBigUint64(HEAD.magic, MAGIC, true);
    this.#head.view.setBigUint64(HEAD.open, 1n, true);
    this.#head.view.setBigUint64(HEAD.cursor, channelBelow(base) + BigInt(RING_AT), true);
    this.place = {
      path: "",
      channel: channelBelow(base),
      channelSize: CHANNEL_SIZE,
      scratch: base,
      scratchSize: size,
      socket: {
        ...keys,
        address: connect?.bytes ?? listening.address,
        patience,
        isAndroid,
      },
    };
  }

  /**
   * See {@linkcode Transport.hand}. Programs hear of changes with the end of their next call alone, so that they hand
   * over what may be wanted later.
   */
  hand(command: number, how: number): void {
    const { view } = this.#head, at = HEAD.subscribed + command, next = how === HANDED.later ? HANDED.over : how;
    if (view.getUint8(at) === next) return;
    view.setUint8(at, next);
    this.#edition++;
  }

  /** See {@linkcode Transport.state}. */
  state(slot: number): number {
    return this.view.getUint32(slot, true);
  }

  /** See {@linkcode Transport.change}. */
  change(slot: number, from: number, to: number): boolean {
    if (this.state(slot) !== from) return false;
    const line = this.#lines.get(slot);
    if (line && from === STATE.served && this.#isEnd(to) && !this.#tellChanges(line)) return false;
    this.#set(slot, to);
    if (!line) return true;
    if (to === STATE.served && from === STATE.called) line.begin = usedArena();
    const isSent = to === STATE.request ? this.#request(line) : this.#isEnd(to) ? this.#end(line, to) : true;
    if (!isSent) this.#drop(line);
    return isSent;
  }

  #isEnd(state: number): boolean {
    return state === STATE.over || state === STATE.pass;
  }

  /** See {@linkcode Transport.allowNotes}. */
  allowNotes(): void {
    this.#head.view.setBigUint64(HEAD.isNoting, 1n, true);
  }

  /** See {@linkcode Transport.watchPages}: the programs may run under another kernel. */
  watchPages(): void {}

  /** See {@linkcode Transport.allowLate}. */
  allowLate(): boolean {
    return false;
  }

  /** See {@linkcode Transport.planCopies}. */
  planCopies(plans: ReadonlyMap<number, readonly CopyStep[]>): void {
    if (plans.size === 0) return;
    writePlans(this.view, this.place.channel, plans);
    this.#plans = new NativeBlock(PLANS_SIZE);
    this.#plans.bytes.set(new Uint8Array(this.view.buffer, PLANS_AT, PLANS_SIZE));
  }

  /** See {@linkcode Transport.lost}. */
  get lost(): number {
    return this.#intake.lost;
  }

  /** See {@linkcode Transport.free}. */
  free(slot: number): void {
    this.#set(slot, STATE.free);
  }

  /** See {@linkcode Transport.hear}. */
  hear(): void {
    this.#hear(0);
  }

  /** See {@linkcode Transport.wait}. */
  async wait(bell: number, milliseconds: number): Promise<void> {
    if (this.bell !== bell) return;
    const { address } = this.#polls[0];
    await this.#poll(address, BigInt(this.#list(this.#polls[0])), milliseconds);
    this.#hear(0);
  }

  /** See {@linkcode Transport.waitHere}. */
  waitHere(bell: number, milliseconds: number): void {
    if (this.bell === bell) this.#hear(milliseconds);
  }

  /** See {@linkcode Transport.ring}. */
  ring(): void {
    this.bell++;
    callLibc("eventfd_write", "s:sq", this.#wake, 1n);
  }

  /** See {@linkcode Transport.shut}: nobody new is heard. */
  shut(): void {
    this.#head.view.setBigUint64(HEAD.open, 0n, true);
  }

  /** See {@linkcode Transport.close}. */
  close(): void {
    for (const line of [...this.#lines.values()]) this.#drop(line);
    for (const file of [this.#listening, this.#wake]) libc().close(file);
    for (const block of [this.#head, this.#order, ...this.#polls]) block.close();
    this.#plans?.close();
    if (this.#path !== undefined) Deno.removeSync(this.#path);
  }

  /** See {@linkcode Transport.peer}. The program gets its head. */
  peer(process: number, slot: () => number): Peer {
    const waiting = () => {
      const line = this.#lines.get(slot());
      return line?.process === process && this.state(line.slot) === STATE.served ? line : undefined;
    };
    const peer = new SocketPeer(process, {
      order: this.#order,
      isOpen: () => [...this.#lines.values()].some((line) => line.process === process),
      file: () => waiting()?.file ?? -1,
      end: () => {
        const line = waiting();
        if (line) this.#drop(line);
      },
    });
    this.#editions.set(process, this.#edition);
    peer.write(this.#head.address, this.place.channel, HEAD.size);
    if (this.#plans) peer.write(this.#plans.address, this.place.channel + BigInt(PLANS_AT), PLANS_SIZE);
    return peer;
  }

  /** Tells a program what it is to hand over from now on, if that has changed. Returns `false` if it has gone. */
  #tellChanges(line: Line): boolean {
    const edition = this.#edition, { process, file } = line, { address } = this.#head;
    if ((this.#editions.get(process) ?? edition) === edition) return true;
    this.#editions.set(process, edition);
    const end = () => this.#drop(line), isOpen = () => this.#lines.get(line.slot) === line;
    const peer = new SocketPeer(process, { order: this.#order, isOpen, file: () => isOpen() ? file : -1, end });
    const at = HEAD.subscribed, size = HEAD.size - at;
    return peer.write(address + BigInt(at), this.place.channel + BigInt(at), size) === size;
  }

  #set(slot: number, state: number): void {
    this.view.setUint32(slot, state, true);
  }

  /** The connections that are heard. While there is no room for notes, programs keep theirs. */
  #heard(): Line[] {
    const { hasRoom } = this.#intake;
    return [...this.#lines.values()].filter(({ notes }) => hasRoom || !notes);
  }

  /** Lists what may have news. Returns their number. */
  #list({ view }: NativeBlock): number {
    let count = 0;
    for (const file of [this.#wake, this.#listening, ...this.#heard().map((line) => line.file)]) {
      view.setInt32(8 * count, file, true);
      view.setUint32(8 * count++ + 4, POLLIN, true);
    }
    return count;
  }

  /** Hears everybody who has news, and waits for the first. */
  #hear(milliseconds: number): void {
    const [, { address, view }] = this.#polls, lines = this.#heard();
    const count = this.#list(this.#polls[1]);
    if (callLibc("poll", "s:qqs", address, BigInt(count), Math.ceil(milliseconds)) <= 0) return;
    const hasNews = (index: number) => view.getUint16(8 * index + 6, true) !== 0;
    if (hasNews(0)) callLibc("eventfd_read", "s:sq", this.#wake, this.#order.address);
    const isCalling = hasNews(1), speaking = lines.filter((_, index) => hasNews(index + 2));
    for (const line of speaking) if (!this.#take(line)) this.#dropEnded(line);
    for (let most = SLOTS; isCalling && most > 0 && this.#accept() && pollDescriptor(this.#listening, 0); most--);
  }

  /** Takes a connection that waits. Returns whether there was one. */
  #accept(): boolean {
    const file = acceptFrom(this.#listening, HALVES);
    if (file < 0) return false;
    const isFree = (each: number) => !this.#lines.has(each) && this.state(each) === STATE.free;
    const known = this.slots.find(isFree), slot = known ?? this.#anotherSlot();
    if (slot === undefined) libc().close(file);
    else {
      const block = new NativeBlock(SLOT.size);
      this.#lines.set(slot, { file, slot, process: 0, block, filled: 0, begin: 0, lent: 0, notes: undefined });
    }
    return true;
  }

  /** Brings another slot into use; `undefined` if all are. */
  #anotherSlot(): number | undefined {
    if (this.slots.length === SLOTS) return undefined;
    this.slots = slotPlaces(this.slots.length + 1);
    return this.slots.at(-1);
  }

  /** Takes what a program says. Returns `false` for what none says. */
  #take(line: Line): boolean {
    if (line.notes) return line.notes.take(line.file, line.process, this.#intake);
    const size = line.process === 0 ? GREETING.size : SLOT.size, { block } = line;
    const got = receiveSome(line.file, block.address + BigInt(line.filled), size - line.filled);
    if (got <= 0) return false;
    line.filled += got;
    if (line.filled < size) return true;
    line.filled = 0;
    return line.process === 0 ? this.#greet(line) : this.#hearSlot(line);
  }

  #greet(line: Line): boolean {
    const { view, bytes } = line.block, { programKey, serverKey } = this.place.socket!;
    const key = bytes.subarray(GREETING.key, GREETING.key + KEY_SIZE),
      known = view.getBigUint64(GREETING.program, true);
    if (view.getBigUint64(GREETING.magic, true) !== GREETING_MAGIC) {
      return this.#strangers.refuse(line.file, "stranger");
    }
    if (!isSame(key, programKey)) return this.#strangers.refuse(line.file, "key");
    const isKnown = [...this.#lines.values()].some((each) => each.process !== 0 && BigInt(each.process) === known);
    if (known !== 0n && !isKnown) return false;
    line.process = known === 0n ? ++this.#programs : Number(known);
    this.#order.bytes.set(serverKey, WELCOME.key);
    this.#order.view.setBigUint64(WELCOME.program, BigInt(line.process), true);
    return sendAll(line.file, this.#order.address, WELCOME.size);
  }

  /** A call, or the end of a requested call. */
  #hearSlot(line: Line): boolean {
    const { slot, block } = line, state = this.state(slot), said = block.view.getUint32(0, true);
    if (said === NOTE_WRITTEN && state === STATE.free) return this.#beginNotes(line);
    const expected = state === STATE.free ? STATE.called : state === STATE.request ? STATE.done : undefined;
    if (said !== expected) return false;
    const from = said === STATE.called ? 8 : SLOT.invoke, own = new Uint8Array(this.view.buffer, slot, SLOT.size);
    own.set(block.bytes.subarray(from, SLOT.size), from);
    this.view.setUint32(slot + SLOT.process, line.process, true);
    if (line.process !== 0) this.#intake.count(line.process, block.view.getBigUint64(SLOT.asleep, true));
    const back = arena().base + BigInt(line.begin);
    if (said === STATE.done && line.lent > 0 && !receiveAll(line.file, back, line.lent)) return false;
    this.#set(slot, said);
    this.bell++;
    return true;
  }

  /** The first note: nothing else comes through the connection. */
  #beginNotes(line: Line): boolean {
    if (this.#head.view.getBigUint64(HEAD.isNoting, true) === 0n) return false;
    line.notes = new NoteLine();
    this.#intake.take(line.process, line.block.bytes.subarray(0, NOTE.size));
    return true;
  }

  /** Sends the call in a slot's block, with what the hooks have written so far. */
  #request(line: Line): boolean {
    const { view, bytes, address } = this.#order, scratch = arena().base + BigInt(line.begin);
    line.lent = usedArena() - line.begin;
    const isNext = this.view.getBigUint64(line.slot + SLOT.isNext, true);
    [KIND.request, scratch, BigInt(line.lent), isNext].forEach((each, index) =>
      view.setBigUint64(8 * index, each, true)
    );
    bytes.set(new Uint8Array(this.view.buffer, line.slot + SLOT.invoke, INVOKE.size), ORDER.end);
    if (line.lent === 0) return sendAll(line.file, address, ORDER.end + INVOKE.size);
    return sendAll(line.file, address, ORDER.end, true) && sendAll(line.file, scratch, line.lent, true) &&
      sendAll(line.file, address + BigInt(ORDER.end), INVOKE.size);
  }

  /** Ends a call. The slot is free for the next one of its thread. */
  #end(line: Line, state: number): boolean {
    const { view, address } = this.#order, { slot } = line;
    const [result, float] = [SLOT.result, SLOT.floatResult].map((at) => this.view.getBigUint64(slot + at, true));
    const kind = state === STATE.over ? KIND.over : KIND.pass;
    [kind, result, float, 0n].forEach((each, index) => view.setBigUint64(8 * index, each, true));
    this.#set(slot, STATE.free);
    return sendAll(line.file, address, ORDER.end);
  }

  /** Ends a connection that the program has ended, and tells of notes that will not come. */
  #dropEnded(line: Line): void {
    if (line.notes?.hasEnded === false) this.#log(`process ${line.process} ${CUT}`);
    this.#drop(line);
  }

  /** Ends a connection. A call that is being answered is abandoned. */
  #drop({ file, slot, block, process, notes }: Line): void {
    if (!this.#lines.delete(slot)) return;
    if (![...this.#lines.values()].some((line) => line.process === process)) this.#editions.delete(process);
    libc().close(file);
    block.close();
    notes?.close();
    const isAnswered = [STATE.served, STATE.request, STATE.done].some((each) => each === this.state(slot));
    this.#set(slot, isAnswered ? STATE.abandoned : STATE.free);
    this.bell++;
  }
}

/** Compares every byte, so that the time tells nothing. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.reduce((difference, byte, index) => difference | byte ^ other[index], 0) === 0;
}

/** Returns the bytes of the arena in use. */
function usedArena(): number {
  return inFrame((memory) => memory.alloc(0));
}
