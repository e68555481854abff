import { assertEquals } from "@std/assert";
import { writeElf } from "../../../../ffi/asm/elf.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { emitterFor } from "../../../../workbench/layer_server/library/assemble.ts";
import { writeLook } from "../../../../workbench/layer_server/library/call.ts";
import { LOOKS, PRIVATE } from "../../../../workbench/layer_server/library/parts.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

/** Calls a function with the rule alone, of this machine's processor: whether it saw another state than the one given. */
async function withLook(test: (look: (data: bigint, slot: bigint, state: bigint) => boolean) => void): Promise<void> {
  const { code, ...emitter } = await emitterFor(Deno.build.arch), routine = emitter.routine(), seen = code.label();
  routine.begin("look");
  for (const variable of [0, 1, 2] as const) routine.argument(variable, variable);
  writeLook(routine, seen);
  routine.finish(0);
  routine.place(seen);
  routine.finish(1);
  await withFolderAsync(async (folder) => {
    await Deno.writeFile(`${folder}/look.so`, writeElf(code, "look.so").bytes);
    const library = Deno.dlopen(`${folder}/look.so`, { look: { parameters: ["u64", "u64", "u64"], result: "u32" } });
    test((...args) => library.symbols.look(...args) === 1);
    library.close();
  });
}

Deno.test("A thread of a program looks shorter after each look in vain, down to the least, and longer after each that was not, up to the most", () =>
  withLook((look) => {
    using block = new NativeBlock(PRIVATE.objects + 8);
    const slot = block.address + BigInt(PRIVATE.objects), { view } = block;
    const looks = () => Number(view.getBigUint64(PRIVATE.looks, true));
    view.setBigUint64(PRIVATE.looks, BigInt(LOOKS.most), true);
    view.setBigUint64(PRIVATE.objects, 4n, true);
    const after = (state: bigint, times: number) =>
      Array.from({ length: times }, () => [look(block.address, slot, state), looks()]);
    assertEquals(after(4n, 5), [[false, 80_000], [false, 40_000], [false, 20_000], [false, 20_000], [false, 20_000]]);
    assertEquals(after(6n, 2), [[true, 24_000], [true, 28_000]]);
    assertEquals(after(4n, 1), [[false, 28_000]]); // half of it would be too short
    assertEquals(after(5n, 40).slice(32), Array(8).fill([true, LOOKS.most]));
  }));
