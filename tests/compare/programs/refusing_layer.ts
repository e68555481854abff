/**
 * A layer in which a command of Vulkan fails, crashes or never returns, by the
 * variable `REFUSES`: an object with the command, and the result, or an address
 * that is read, or a file that is made before the command waits for ever.
 *
 * @module
 */
import { peek64 } from "../../../ffi/machine.ts";
import { defineLayer } from "../../../loader/mod.ts";
import type { Layer } from "../../../loader/layer.ts";

interface Refusal {
  readonly command: string;
  readonly result?: number;
  readonly reads?: string;
  readonly waits?: string;
}

const { command, result, reads, waits }: Refusal = JSON.parse(Deno.env.get("REFUSES")!);

export default defineLayer({
  name: "VK_LAYER_TEST_refusing",
  commands: {
    [command]: () => {
      if (reads !== undefined) peek64(BigInt(reads));
      if (waits === undefined) return result;
      Deno.writeTextFileSync(waits, "");
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  } as Layer["commands"],
});
