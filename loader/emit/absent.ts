import type { Code, Label } from "../../ffi/asm/code.ts";
import { LASTING, NativeBlock } from "../../ffi/block.ts";
import { readCString, textAddresses } from "../../ffi/cstring.ts";
import { ENTRY_SIZE } from "../../ffi/emit/layout.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { emitterForThisMachine, loadEmitted } from "../../ffi/image/image.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { CallRing } from "../../ffi/thunk/ring.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";

/** Data of the functions that stand in for missing commands. */
interface AbsentSpec {
  /** The functions. */
  readonly entries: readonly {
    /** The result, as 32 bits; not negative if the result is wider. */
    readonly result: number;
    /**
     * Byte offset, in the dispatch table of the first argument, of the address
     * of the driver's name. Absent: the name in the slot.
     */
    readonly tableOffset?: number;
    /**
     * Byte offset, in the dispatch table of the first argument, of the address
     * of a function `void (table, format, name, driver)` that is called as
     * well; the address is 0 for none. Absent: there is none.
     */
    readonly heardOffset?: number;
  }[];
  /** Offsets of addresses in the image's data. */
  readonly slots: {
    /** The address of an array with the addresses of the functions' names. */
    readonly names: number;
    /** The address of a driver's name. */
    readonly driver: number;
    /** The address of the text for `dprintf`, with two `%s`: the function's name and the driver's. */
    readonly format: number;
    /** The address of the address of `dprintf`. */
    readonly calls: number;
  };
}

/** Functions that stand in for missing commands; see {@linkcode createAbsent}. */
export interface Absent {
  /** Address of the function for the command at an index. */
  at(index: number): bigint;
  /** Whether an address is the address of one of these functions. */
  has(address: bigint): boolean;
  /** Gives a name to a command that had none. */
  name(index: number, name: string): void;
}

/** A missing command. */
export interface AbsentCommand {
  /** The command's name; `""` if {@linkcode Absent.name} will give the name before anything can call the function. */
  readonly name: string;
  /** The value that the function returns, from -2³¹ to 2³¹ - 1. */
  readonly result: number;
  /**
   * Byte offset in the dispatch table of the first argument, a dispatchable
   * handle, of the address of the driver's name. Default: the name is `driver`.
   */
  readonly tableOffset?: number;
  /**
   * Byte offset, in the dispatch table of the first argument, of the address of
   * a function `void (table, format, name, driver)`. The function is called for
   * each call as well, on the caller's thread; the address is 0 for none.
   * Absent: there is none.
   */
  readonly heardOffset?: number;
}

/**
 * Makes functions of any signature, callable from any thread. Each writes to
 * standard error which command was called and which driver lacks the command,
 * and returns the given value. `format` is the text for `dprintf`, with two
 * `%s`: the command's name and the driver's name. Returns `undefined` where
 * emitted code cannot be used. The functions stay for the life of the process.
 */
export function createAbsent(
  commands: readonly AbsentCommand[],
  { format, driver = "" }: { readonly format: string; readonly driver?: string },
): Absent | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const { code } = emitter, slot = () => code.reserve(), dprintf = slot();
  const slots = { names: slot(), driver: slot(), format: slot(), calls: slot() };
  writeAbsent(code, emitter.routine(), { entries: commands, slots });
  const image = loadEmitted(emitter);
  if (!image) return;
  const { data, dataAddress } = image, table = new NativeBlock(8 * commands.length, LASTING);
  const name = (index: number, address: bigint) => table.view.setBigUint64(8 * index, address, true);
  const [formatAt, driverAt, ...names] = textAddresses([format, driver, ...commands.map(({ name }) => name)]);
  names.forEach((address, index) => name(index, address));
  data.setBigUint64(slots.names, table.address, true);
  data.setBigUint64(slots.format, formatAt, true);
  data.setBigUint64(slots.driver, driverAt, true);
  data.setBigUint64(slots.calls, dataAddress + BigInt(dprintf), true);
  data.setBigUint64(dprintf, libcAddress("dprintf"), true);
  const first = image.address("absent"), end = first + BigInt(ENTRY_SIZE * commands.length);
  return {
    at: (index) => first + BigInt(ENTRY_SIZE * index),
    has: (address) => address >= first && address < end,
    name: (index, text) => name(index, textAddresses([text])[0]),
  };
}

/** Standard error. */
const STANDARD_ERROR = 2;

/**
 * Writes functions of any signature, `ENTRY_SIZE` apart. Each reports on
 * standard error that it was called, and for which driver, and returns its
 * result.
 */
function writeAbsent(code: Code, routine: Routine, { entries, slots }: AbsentSpec): void {
  const shared = new Map<string, Label>(),
    key = (entry: Entry) => `${entry.result} ${entry.tableOffset} ${entry.heardOffset}`;
  for (const entry of entries) {
    if (!shared.has(key(entry))) shared.set(key(entry), writeAbsence(routine, `absence${shared.size}`, entry, slots));
  }
  code.begin("absent");
  entries.forEach((entry, index) => {
    code.alignEntry();
    routine.passNumber(1, index);
    routine.jump(shared.get(key(entry))!);
  });
}

type Entry = AbsentSpec["entries"][number];

/** `int32_t absence(handle, uint32_t index)`: what functions share that are alike. */
function writeAbsence(
  routine: Routine,
  symbol: string,
  { result, tableOffset, heardOffset }: Entry,
  slots: AbsentSpec["slots"],
): Label {
  const driver: Variable = 0, name: Variable = 1, format: Variable = 2, calls: Variable = 3, table: Variable = 4;
  const label = routine.begin(symbol), unheard = routine.label();
  routine.argument(table, 0);
  routine.argument(name, 1);
  routine.loadSlot(format, slots.names);
  for (let doubled = 0; doubled < 3; doubled++) routine.addVariable(name, name); // eight bytes for each
  routine.addVariable(name, format);
  routine.load(name, name);
  if (tableOffset !== undefined || heardOffset !== undefined) routine.load(table, table);
  if (tableOffset === undefined) routine.loadSlot(driver, slots.driver);
  else routine.load(driver, table, tableOffset);
  routine.loadSlot(format, slots.format);
  routine.passNumber(0, STANDARD_ERROR); // int dprintf(int fd, const char *format, ...)
  routine.pass(1, format);
  routine.pass(2, name);
  routine.pass(3, driver);
  routine.loadSlot(calls, slots.calls);
  routine.callAt(calls, 0);
  if (heardOffset !== undefined) {
    routine.load(calls, table, heardOffset);
    routine.ifZero(calls, unheard);
    [table, format, name, driver].forEach((variable, index) => routine.pass(index, variable));
    routine.callAt(table, heardOffset);
  }
  routine.place(unheard);
  routine.finish(result >>> 0);
  return label;
}

/** The most calls of other threads that wait for a report. Further calls are only on standard error. */
const ROOM = 64;

/** Returns the function that hears of calls, by the address of a dispatch table. */
type Listener = (table: bigint) => ((text: string) => void) | undefined;

/**
 * Calls of missing commands, and lists without a count. Machine code has reported each missing command on standard error.
 * This class passes them to the listeners of the instance: at once on this
 * thread, and with the next {@linkcode AbsentCalls.drain} from other threads.
 */
export class AbsentCalls {
  readonly #thunk: Thunk;
  readonly #ring = new CallRing({ records: ROOM });
  readonly #listener: Listener;

  readonly #uncounted: readonly string[];

  /**
   * Makes the callback. Not for use inside a callback. `uncounted` are the
   * messages about lists without a count, of which machine code passes the
   * index, and which are not on standard error.
   */
  constructor(listener: Listener, uncounted: readonly string[]) {
    this.#listener = listener;
    this.#uncounted = uncounted;
    const options = { onForeignThread: "record", ring: this.#ring } as const;
    this.#thunk = createThunk("v:qqqq", (...args) => this.#tell(args as bigint[]), options);
  }

  /** The address of the function for dispatch tables. */
  get address(): bigint {
    return this.#thunk.address;
  }

  /** Reports the calls of other threads until now. */
  drain(): void {
    this.#ring.drain(({ args }) => this.#tell(args as bigint[]));
  }

  /** Frees the callback. No table may lead to it. */
  close(): void {
    this.#thunk.free();
    this.#ring.close();
  }

  #tell([table, format, name, driver]: readonly bigint[]): void {
    const tell = this.#listener(table);
    if (!tell) return;
    if (format === 0n) return tell(this.#uncounted[Number(name)]);
    const line = readCString(format).replace("%s", readCString(name)).replace("%s", readCString(driver));
    tell(line.slice(line.indexOf(":") + 1).trim());
  }
}
