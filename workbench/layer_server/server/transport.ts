import type { CopyStep } from "./copies.ts";
import type { PageFiles } from "../../../ffi/arena_memory.ts";
import type { Processor } from "../commands.ts";
import type { ChannelPlace } from "../library/parts.ts";

/** The way of programs' calls to a session, and of the answers back: slots that change their states. */
export interface Transport {
  /** The place of the memory in programs. */
  readonly place: ChannelPlace;
  /** The processor of the programs. */
  readonly processor: Processor;
  /** The head and the slots. */
  readonly view: DataView;
  /** The places in {@linkcode Transport.view} of all slots that have been in use. */
  readonly slots: readonly number[];
  /** Changes with each piece of news. */
  readonly bell: number;
  /** Sets the treatment of a command's calls: one of `HANDED`. */
  hand(command: number, how: number): void;
  /** Lets one thread's calls be handed over late; 0 for none. `false` if programs cannot do that. */
  allowLate(thread: number): boolean;
  /** The state of a slot. */
  state(slot: number): number;
  /** Changes a slot's state, and tells the program's thread. Returns `false` if the state was another. */
  change(slot: number, from: number, to: number): boolean;
  /** Says that programs may note calls. */
  allowNotes(): void;
  /** Says that a layer wants to know which pages programs write. */
  watchPages(): void;
  /** Sets the copies for notes, by the numbers of the commands. */
  planCopies(plans: ReadonlyMap<number, readonly CopyStep[]>): void;
  /** The number of calls that found no room to be noted. */
  readonly lost: number;
  /** Frees the place of a noted call. */
  free(slot: number): void;
  /** Takes in what has come, without waiting. */
  hear(): void;
  /** Waits until the bell differs from a value, at most so many milliseconds, without blocking this thread. */
  wait(bell: number, milliseconds: number): Promise<void>;
  /** The same, and blocks this thread. */
  waitHere(bell: number, milliseconds: number): void;
  /** Wakes the thread of this process that waits for the bell. */
  ring(): void;
  /** Lets programs go on without this process. */
  shut(): void;
  /** Frees everything. No thread may be waiting for the bell. */
  close(): void;
  /** Returns the process that a first call comes from; the thread of `slot` waits now. */
  peer(process: number, slot: () => number): Peer;
}

/** The process of a program, as a session sees it. */
export interface Peer {
  /** The number of the process, for messages. */
  readonly process: number;
  /** Moves bytes between the process and this one. */
  readonly mover: Mover;
  /** Whether the process has ended. */
  readonly isGone: boolean;
  /** Whether the process has ended, or does so within some milliseconds. */
  endsWithin(milliseconds: number): boolean;
  /** Whether the process has no memory any more: it gives its memory back before it counts as ended. */
  readonly isEnding: boolean;
  /** The auxiliary vector that the kernel gave to the process, in pairs; empty if unknown. */
  readonly auxiliary: BigUint64Array;
  /** Whether the process has a thread with this number. */
  hasThread(thread: number): boolean;
  /** Returns with what the kernel tells of the process's pages, given its own userfaultfd; `undefined` if it does not. */
  pages(fault: number): PageFiles | undefined;
  /** Frees what this process has of the other one. */
  close(): void;
}

/** Moves bytes from and to another process. Both functions return how many bytes were moved. */
export interface Mover {
  /** The number of pages that are read at once when one is wanted. */
  readonly ahead: number;
  /** Copies bytes from the process to an address of this one. */
  read(own: bigint, theirs: bigint, size: number): number;
  /** Copies bytes to the process. */
  write(own: bigint, theirs: bigint, size: number): number;
}
