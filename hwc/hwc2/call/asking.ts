import { peek32, poke32 } from "../../../ffi/machine.ts";
import { bindNonblocking, type NonblockingFunction } from "../../../ffi/stubs.ts";
import { checkArguments } from "../../arguments.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { WithheldFences } from "../device/held_objects.ts";
import type { Native } from "../values/numbers.ts";
import type { Field, Result } from "../values/result.ts";
import { type Abi, abiOf, arrange } from "./abi.ts";
import { Call } from "./call.ts";
import { type Hwc2Function, type MethodName, SUCCESSES } from "./functions.ts";

/** Milliseconds for a call to a device; a frame's take the length of a vsync. */
const MOST_WAIT = 30_000;
const STUCK = `the device does not come back from a call within ${MOST_WAIT / 1000} s; end the process`;
/** Rows of an answer; no device has as many displays, layers or modes. */
const MOST_ROWS = 65_536;

/** The state that all calls to a device share. */
export interface DeviceLine {
  /** Address of the hwc2_device_t. */
  readonly device: bigint;
  /** Every call waits for those before it. */
  readonly fifo: Fifo;
  /** The fences that the device got -1 for; none for a device that takes fences of every kind. */
  readonly withheld: WithheldFences | undefined;
  /** Throws when the device is closed. */
  check(name: string): void;
}

/** A method that asks a device. */
export type Asking = (...args: unknown[]) => Promise<unknown>;

/** The method that asks a function of a device. */
export function asking(line: DeviceLine, called: Hwc2Function, name: MethodName, address: bigint): Asking {
  const abi = abiOf(called), native = bindNonblocking(abi.signature, address);
  return (...args) =>
    during(name, (call) => {
      line.check(name);
      checkArguments(name, args);
      const { inputs } = called, written = inputs.map((input, index) => input.write(args[index], call));
      const given = arrange(abi, line.device, written), extra = args.slice(inputs.length);
      return line.fifo.run(async () => {
        if (name === "presentDisplay") await line.withheld?.settle(args[0] as bigint);
        const value = await new Exchange({ called, abi, native, name, call }).run(given, extra);
        line.withheld?.note(name, args, call.withheld.splice(0));
        return value;
      });
    }, new Call(!line.withheld));
}

/**
 * Runs an operation with a call, and names the method in its errors. The
 * arguments are taken before the operation waits for anything.
 */
export async function during<Value>(
  name: string,
  run: (call: Call) => Promise<Value>,
  call = new Call(),
): Promise<Value> {
  let succeeded = false, isStuck = false;
  try {
    const value = await run(call);
    succeeded = true;
    return value;
  } catch (error) {
    isStuck = error instanceof StuckCall;
    if (error instanceof Refusal) throw new HwcError(name, error.code, error.message);
    throw error;
  } finally {
    if (!isStuck) call.finish(succeeded); // else the device still reads and writes the call's memory
  }
}

/** Throws what a device returned, unless it succeeded. */
export function checkCode(code: number, name: string): void {
  if (!SUCCESSES.includes(code)) throw new HwcError(name, code, "the device refused; look at its log for the reason");
}

interface ExchangeParts {
  readonly called: Hwc2Function;
  readonly abi: Abi;
  readonly native: NonblockingFunction;
  readonly name: string;
  readonly call: Call;
}

/** One question to a device, which takes two calls if there are lists. */
class Exchange {
  readonly #parts: ExchangeParts;
  readonly #before: bigint[];
  readonly #after: bigint[];

  constructor(parts: ExchangeParts) {
    const { called: { result: { before, after } }, call } = parts;
    this.#parts = parts;
    this.#before = placeAll(before, call);
    this.#after = placeAll(after, call);
  }

  async run(given: Native[], extra: readonly unknown[]): Promise<unknown> {
    const { result, returns } = this.#parts.called;
    this.#prepare(result.before, extra);
    if (result.rows.length > 0) return await this.#fill(given, result);
    const code = await this.#ask([...given, ...this.#before, ...this.#after]);
    if (returns === "w") return code;
    return result.pack({ before: read(result.before, this.#before), rows: [], after: [] }, code);
  }

  #prepare(fields: readonly Field[], extra: readonly unknown[]): void {
    let next = 0;
    fields.forEach(({ output, isInOut }, index) => {
      output.clear?.(this.#before[index]);
      if (isInOut) output.write(this.#before[index], extra[next++]);
    });
  }

  /** Asks for the number of rows first; then for the rows, if there are any. */
  async #fill(given: Native[], { before, rows, after, pack }: Result): Promise<unknown> {
    const { call } = this.#parts, count = call.place(4), none = rows.map(() => 0n);
    let code = await this.#ask([...given, ...this.#before, count, ...none, ...this.#after]), places: bigint[] = [];
    const room = peek32(count);
    if (room > MOST_ROWS) refuse(ERROR.NO_RESOURCES, `the device announces ${room} rows; ${MOST_ROWS} are the most`);
    if (room > 0) {
      places = rows.map(({ output }) => call.place(output.size * (room + 1)));
      this.#clearRows(rows, places, room);
      poke32(count, room);
      code = await this.#ask([...given, ...this.#before, count, ...places, ...this.#after]);
    }
    const found = Array.from({ length: Math.min(room, peek32(count)) }, (_, index) => {
      return rows.map(({ output }, field) => output.read(places[field] + BigInt(output.size * index)));
    });
    return pack({ before: read(before, this.#before), rows: found, after: read(after, this.#after) }, code);
  }

  #clearRows(rows: readonly Field[], places: readonly bigint[], room: number): void {
    rows.forEach(({ output }, field) => {
      for (let index = 0; index < room; index++) output.clear?.(places[field] + BigInt(output.size * index));
    });
  }

  async #ask(natives: Native[]): Promise<number> {
    const code = await this.#parts.native(...natives) as number | undefined;
    if (this.#parts.called.returns === "s") checkCode(code!, this.#parts.name);
    return code ?? 0;
  }
}

function placeAll(fields: readonly Field[], call: Call): bigint[] {
  return fields.map(({ output }) => call.place(output.size));
}

function read(fields: readonly Field[], places: readonly bigint[]): unknown[] {
  return fields.map(({ output }, index) => output.read(places[index]));
}

/** The device has not come back from a call. */
class StuckCall extends Refusal {}

/** Does one thing after another, in the order they were asked for, whether the ones before succeed or not. */
export class Fifo {
  #last: Promise<unknown> = Promise.resolve();
  #isStuck = false;

  /** Whether the device has not come back from a call. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * Does something when all before it is done. Refuses with NO_RESOURCES if the device takes longer than half a minute,
   * and from then on at once: the device still has the thread and the memory of that call.
   */
  run<Result>(job: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => this.#isStuck ? refuse(ERROR.NO_RESOURCES, STUCK) : this.#bounded(job()));
    this.#last = result.catch(() => {});
    return result;
  }

  async #bounded<Result>(result: Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#isStuck = true;
      reject(new StuckCall(ERROR.NO_RESOURCES, STUCK));
    }, MOST_WAIT);
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
