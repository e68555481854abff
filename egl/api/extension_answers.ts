import { Choices } from "../../ffi/functions/first_argument.ts";
import type { NativeFunction } from "../../ffi/stubs.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import { signatureOf } from "../command/spec.ts";
import type { HookVersion } from "../dispatch/dispatch.ts";
import { glCommands } from "../dispatch/names.ts";
import { ASKED } from "./gl_strings.ts";
import type { State } from "./state.ts";

/**
 * The functions that native code calls for the six queries while a context of a
 * display of ours is current. Queries of extensions are answered as for
 * scripts; the driver answers all others, in machine code.
 */
export class ExtensionAnswers {
  readonly #state: State;
  readonly #calls: ReadonlyMap<string, NativeFunction>;
  readonly #thunks: Thunk[] = [];
  readonly #known = new Map<HookVersion, ReadonlyMap<number, bigint>>();
  readonly #choices: Choices[] = [];

  /** Makes the functions from those that carry the queries out for scripts. */
  constructor(state: State, calls: ReadonlyMap<string, NativeFunction>) {
    this.#state = state;
    this.#calls = calls;
  }

  /** The functions by slot; none where emitted code cannot be used. */
  of(version: HookVersion): ReadonlyMap<number, bigint> {
    const known = this.#known.get(version) ?? this.#make(version);
    this.#known.set(version, known);
    return known;
  }

  /** Gives them back. No native code may call them any more. */
  close(): void {
    for (const each of this.#choices) each[Symbol.dispose]();
    for (const each of this.#thunks) each.free();
    this.#known.clear();
  }

  #make(version: HookVersion): ReadonlyMap<number, bigint> {
    const table = this.#state.dispatch.table(version);
    const asked = Object.entries(ASKED).map(([name, value]) => {
      const other = table.found(glCommands.slot(name)!);
      return { name, value, other, own: other && this.#thunk(name, other) };
    }).filter(({ other }) => other !== 0n);
    const choices = Choices.make(asked);
    if (!choices) return new Map();
    this.#choices.push(choices);
    return new Map(asked.map(({ name }) => [glCommands.slot(name)!, choices.address(name)]));
  }

  #thunk(name: string, driver: bigint): bigint {
    const signature = signatureOf(glCommands.find(name)!), call = this.#calls.get(name)!;
    const thunk = createThunk(signature, (...args) => call(...args, driver) as number, {
      next: driver,
      failure: signature[0] === "q" ? 0n : 0,
    });
    this.#thunks.push(thunk);
    return thunk.address;
  }
}
