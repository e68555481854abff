import { ProgramGone } from "../../../loader/error.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { LINK, OBJECTS, PRIVATE } from "../library/parts.ts";
import type { Processor } from "../commands.ts";
import { ProgramMemory } from "./program_memory.ts";
import type { Peer } from "./transport.ts";
import type { OtherMemory } from "../../../ffi/arena_memory.ts";

/** The clock's function in the library that the kernel maps into every process. */
const CLOCK = { x86_64: "__vdso_clock_gettime", aarch64: "__kernel_clock_gettime" } as const;
/** Key of the auxiliary vector: the address of that library. */
const AT_SYSINFO_EHDR = 33n;
/** `\x7fELF` and the class of 64 bits. */
const ELF64 = 0x2_464c_457fn, ELF64_BITS = 0xff_ffff_ffffn;
/** Offsets in Elf64_Ehdr and Elf64_Shdr, of `elf.h`. */
const EHDR = { sections: 40n, count: 60n }, SHDR = { size: 64, type: 4n, address: 16n, bytes: 32n, link: 40n };
/** Offsets in Elf64_Sym, of `elf.h`, and the type of a section of symbols. */
const SYM = { size: 24, value: 8n }, SHT_DYNSYM = 11;
/** The most sections and symbols that are looked at: the kernel's library has some 20 of each. */
const MOST = 64;
/** Milliseconds after which a killed process counts as ended: the kernel takes its memory first. */
const ENDING = 200;

/**
 * Returns the address of a function in a program that tells the time as
 * `clock_gettime` does and asks no kernel; 0n if there is none. The vector is
 * the program's auxiliary vector.
 */
function programClock(memory: OtherMemory, vector: BigUint64Array, processor: Processor): bigint {
  const entry = vector.findIndex((key, index) => index % 2 === 0 && key === AT_SYSINFO_EHDR);
  const base = entry < 0 ? 0n : vector[entry + 1];
  if (base === 0n || (memory.peek64(base) & ELF64_BITS) !== ELF64) return 0n;
  const sections = tableAt(base + memory.peek64(base + EHDR.sections), SHDR.size, memory.peek(base + EHDR.count, 2));
  const symbols = sections.find((section) => memory.peek(section + SHDR.type, 4) === SHT_DYNSYM);
  const strings = symbols === undefined ? undefined : sections[memory.peek(symbols + SHDR.link, 4)];
  if (symbols === undefined || strings === undefined) return 0n;
  const names = base + memory.peek64(strings + SHDR.address), size = Number(memory.peek64(symbols + SHDR.bytes));
  const found = tableAt(base + memory.peek64(symbols + SHDR.address), SYM.size, size / SYM.size)
    .find((symbol) => memory.text(names + BigInt(memory.peek(symbol, 4)), 64) === CLOCK[processor]);
  return found === undefined ? 0n : base + memory.peek64(found + SYM.value);
}

/** Returns the addresses of a table's entries. */
function tableAt(first: bigint, size: number, count: number): bigint[] {
  return Array.from({ length: Math.min(MOST, count) }, (_, index) => first + BigInt(size * index));
}

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
      const isGone = peer.endsWithin(ENDING);
      this.close();
      if (isGone) throw new ProgramGone();
      throw new TypeError(
        `Cannot read the memory of process ${peer.process}: start the program as a child of this one, ` +
          "as the same user, and not in a container of its own",
      );
    }
    this.#tellClock(processor);
    const fault = Number(this.memory.peek64(data + BigInt(PRIVATE.fault)));
    if (fault > 0) this.memory.pages = peer.pages(fault - 1);
    this.memory.forget();
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

/**
 * Throws a `TypeError` if a program's data lie where those of another program lie. Layers know objects by their
 * addresses. Programs whose memory the system does not place at random, and children that a program forked, have their
 * objects at the same ones, with all else.
 */
export function requireApart(programs: Iterable<Program>, data: bigint): void {
  const twin = [...programs].find((program) => program.data === data);
  if (!twin) return;
  throw new TypeError(
    `its memory is at the same addresses as that of process ${twin.process}, so that layers could not tell the ` +
      "objects of the two apart; it goes on without layers: run one after the other, or with address randomization",
  );
}
