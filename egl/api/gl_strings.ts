import { Choices } from "../../ffi/functions/first_argument.ts";
import { poke32, poke64, poke8 } from "../../ffi/machine.ts";
import { bindByAddress, type NativeFunction } from "../../ffi/stubs.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import { signatureOf } from "../command/spec.ts";
import type { HookVersion } from "../dispatch/dispatch.ts";
import { glCommands } from "../dispatch/names.ts";
import { GL_EXTENSIONS, GL_NUM_EXTENSIONS } from "../gen/gl_constants_gen.js";
import type { State } from "./state.ts";

/** The first argument that asks each of the six queries for extensions. */
export const ASKED: Readonly<Record<string, number>> = {
  glGetString: GL_EXTENSIONS,
  glGetStringi: GL_EXTENSIONS,
  glGetBooleanv: GL_NUM_EXTENSIONS,
  glGetFloatv: GL_NUM_EXTENSIONS,
  glGetIntegerv: GL_NUM_EXTENSIONS,
  glGetInteger64v: GL_NUM_EXTENSIONS,
};

/**
 * The functions that carry out the six queries of extensions. They answer from
 * what was read when the context was first current, GL_EXT_debug_marker always
 * included. On displays of the driver's own the driver answers.
 */
export function stringCalls(state: State): Map<string, NativeFunction> {
  const facts = () => state.current?.display.isOurs ? state.current.context.facts : undefined;
  const native = (name: string) => bindByAddress(signatureOf(glCommands.find(name)!));
  const count = (name: string, put: (address: bigint, count: number) => void): [string, NativeFunction] => {
    const call = native(name);
    return [name, (pname: number, data: bigint, address: bigint) => {
      const known = pname === GL_NUM_EXTENSIONS ? facts() : undefined;
      if (known && data !== 0n) put(data, known.names.length);
      else call(pname, data, address);
    }];
  };
  const getString = native("glGetString"), getStringi = native("glGetStringi");
  const bits = new DataView(new ArrayBuffer(4));
  const asFloat = (value: number) => {
    bits.setFloat32(0, value, true);
    return bits.getUint32(0, true);
  };
  return new Map<string, NativeFunction>([
    [
      "glGetString",
      (name: number, address: bigint) =>
        (name === GL_EXTENSIONS ? facts()?.list : undefined) ?? getString(name, address),
    ],
    [
      "glGetStringi",
      (name: number, index: number, address: bigint) =>
        (name === GL_EXTENSIONS ? facts()?.names[index] : undefined) ?? getStringi(name, index, address),
    ],
    count("glGetBooleanv", (at, number) => poke8(at, number > 0 ? 1 : 0)),
    count("glGetFloatv", (at, number) => poke32(at, asFloat(number))),
    count("glGetIntegerv", (at, number) => poke32(at, number)),
    count("glGetInteger64v", (at, number) => poke64(at, BigInt(number))),
  ]);
}

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
