import { inFrame } from "../../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { VK_SUCCESS } from "../../../../loader/gen/native_gen.ts";
import type { RawCommands } from "../../../../loader/gen/raw_commands_gen.ts";

/** The commands below the layer. Only those of the handle's instance or device work. */
export type Below = RawCommands;

/** Creates an object from a struct with these members; `undefined` if the driver refuses. */
export function newObject(
  struct: string,
  members: StructObject,
  create: (info: bigint, out: bigint) => number,
): bigint | undefined {
  return inFrame((memory) => {
    const { size, encode } = codec(struct), info = memory.alloc(size), out = memory.alloc(8);
    encode(members, info);
    const result = create(memory.address(info), memory.address(out));
    return result === VK_SUCCESS ? memory.view.getBigUint64(out, true) : undefined;
  });
}
