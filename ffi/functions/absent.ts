import { NativeBlock } from "../block.ts";
import { ENTRY_SIZE } from "../emit/layout.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";
import { libcAddress } from "../libc.ts";
import { textAddresses } from "../texts.ts";

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
   * Byte offset, in the dispatch table of the first argument, of the address of a function
   * `void (table, format, name, driver)`. The function hears of each call, too, on the caller's thread; 0 for none. Absent: nobody does.
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
  emitter.absent({ entries: commands, slots });
  const image = loadEmitted(emitter);
  if (!image) return;
  const { data, dataAddress } = image, table = new NativeBlock(8 * commands.length);
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
