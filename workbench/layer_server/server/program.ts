import { ProgramGone } from "../../../loader/error.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { LINK, OBJECTS, PRIVATE } from "../library/parts.ts";
import type { Processor } from "../commands.ts";
import { programClock } from "./program_clock.ts";
import { ProgramMemory } from "./program_memory.ts";
import type { Peer } from "./transport.ts";

/** An instance or device of a program. */
export interface Scope {
  /** The handle. */
  readonly handle: bigint;
  /** The dispatch key of the instance; for an instance, its own key. */
  readonly instance: bigint;
  /** Ends the view. */
  readonly end: () => void;
}

/** A program that has connected: a process with the layer library. */
export class Program implements Disposable {
  /** Process id. */
  readonly process: number;
  /** The number of the program's link. A process that leaves and comes again has another one. */
  readonly link: bigint;
  /** The program's memory. */
  readonly memory: ProgramMemory;
  /** Whether the program has left, and is closed once no call of it is being answered any more. */
  hasLeft = false;
  /** The program's instances and devices by dispatch key. */
  readonly scopes: Map<bigint, Scope> = new Map();
  /** Address of the library's own data in the program. */
  readonly data: bigint;
  readonly #peer: Peer;
  /** Records by dispatch key. */
  readonly #records = new Map<bigint, bigint>();

  /** Opens a process. Throws a `TypeError` if its memory cannot be read, and {@linkcode ProgramGone} if it has ended. */
  constructor(peer: Peer, link: bigint, data: bigint, processor: Processor) {
    this.process = peer.process;
    this.link = link;
    this.data = data;
    this.#peer = peer;
    this.memory = new ProgramMemory(peer);
    if (!this.#isReadable()) {
      const { isGone } = this;
      this.close();
      if (isGone) throw new ProgramGone();
      throw new TypeError(
        `Cannot read the memory of process ${peer.process}: start the program as a child of this one, ` +
          "as the same user, and not in a container of its own",
      );
    }
    this.#tellClock(processor);
  }

  #isReadable(): boolean {
    const isThere = this.memory.isMapped(this.data, 8) && this.memory.peek64(this.data) === BigInt(LINK.connecting);
    this.memory.forget();
    return isThere;
  }

  /** Gives the program the address of a clock that asks no kernel. Without one, the program asks the kernel. */
  #tellClock(processor: Processor): void {
    try {
      const clock = programClock(this.memory, this.#peer.auxiliary, processor);
      this.memory.poke(this.data + BigInt(PRIVATE.clock), 8, clock);
    } catch {
      // what says that it is the kernel's library is none
    } finally {
      this.memory.forget();
    }
  }

  /** Whether the process has ended. */
  get isGone(): boolean {
    return this.#peer.isGone;
  }

  /** Whether the process has a thread with this number. */
  hasThread(thread: number): boolean {
    return this.#peer.hasThread(thread);
  }

  /**
   * Returns the address of an object's record, by dispatch key; 0n if there is
   * none. The program's memory must be the current one.
   */
  recordOf(key: bigint): bigint {
    let record = this.#records.get(key);
    if (record === undefined && (record = this.#find(key)) !== 0n) this.#records.set(key, record);
    return record;
  }

  /** Forgets an object that is destroyed. */
  forgetObject(key: bigint): void {
    this.#records.delete(key);
    this.scopes.get(key)?.end();
    this.scopes.delete(key);
  }

  /** Ends all views, and frees what this process has of the program. */
  close(): void {
    for (const key of [...this.scopes.keys()]) this.forgetObject(key);
    this.memory.close();
    this.#peer.close();
  }

  /** Frees all at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #find(key: bigint): bigint {
    for (let entry = 0; entry < OBJECTS; entry++) {
      const at = this.data + BigInt(PRIVATE.objects + 16 * entry), record = at + BigInt(8);
      if (peek64(at) === key) return peek64(record);
    }
    return 0n;
  }
}
