import { poke32, poke64, poke8 } from "../../ffi/machine.ts";
import { bindByAddress, type NativeFunction } from "../../ffi/stubs.ts";
import { signatureOf } from "../command/spec.ts";
import { glCommands } from "../dispatch/names.ts";
import type { State } from "./state.ts";
import { GL_EXTENSIONS, GL_NUM_EXTENSIONS } from "../gen/gl_constants_gen.js";

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
