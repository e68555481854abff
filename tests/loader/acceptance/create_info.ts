import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../loader/codec/codec.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";

const PLAIN = compileFixture("plain_layer");

/** The kinds of chain that a create info may pass through. */
export const CHAINS: readonly { name: string; layers: (Layer | string)[]; ignore: boolean }[] = [
  { name: "no layer", layers: [], ignore: false },
  { name: "a TypeScript layer", layers: [passing()], ignore: false },
  { name: "a native layer", layers: [PLAIN!], ignore: needs("C compiler (cc)", PLAIN).ignore },
  {
    name: "validation",
    layers: ["VK_LAYER_KHRONOS_validation"],
    ignore: needs("Khronos validation layer", validationManifest()).ignore,
  },
];

/**
 * Writes a create info into native memory with all that it points to, hands its
 * address and that of a handle to `create`, and fails unless every byte is the
 * same afterwards and `create` returned VK_SUCCESS.
 */
export function unchanged(name: string, info: StructObject, create: (at: bigint, out: bigint) => number): void {
  const memory = arena(), mark = memory.mark(), out = memory.alloc(8), at = memory.alloc(codec(name).size);
  try {
    codec(name).encode(info, at);
    const before = memory.bytes.slice(at, memory.mark());
    assertEquals(create(memory.address(at), memory.address(out)), 0);
    assertEquals(memory.bytes.slice(at, at + before.length), before);
  } finally {
    memory.release(mark);
  }
}

function passing(): Layer {
  return defineLayer({ name: "VK_LAYER_TEST_passing", anyCommand: () => (next, ...args) => next(...args) });
}
