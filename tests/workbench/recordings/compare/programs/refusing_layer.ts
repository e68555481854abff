/**
 * A layer in which a command of Vulkan fails, crashes or never returns, by the
 * variable `REFUSES`: an object with the command, and the result, or an address
 * that is read, or a file that is made before the command waits for ever. Other
 * commands may have the same result from then on, as with a lost device.
 *
 * @module
 */
import { peek64 } from "../../../../../ffi/machine.ts";
import { defineLayer } from "../../../../../loader/mod.ts";
import type { Layer } from "../../../../../loader/layer.ts";

interface Refusal {
  readonly command: string;
  readonly result?: number;
  readonly reads?: string;
  readonly waits?: string;
  readonly then?: readonly string[];
}

const { command, result, reads, waits, then = [] }: Refusal = JSON.parse(Deno.env.get("REFUSES")!);

let hasFailed = false;

export default defineLayer({
  name: "VK_LAYER_TEST_refusing",
  commands: {
    ...Object.fromEntries(
      then.map((
        name,
      ) => [name, (next: (...args: unknown[]) => number, ...args: unknown[]) => hasFailed ? result : next(...args)]),
    ),
    [command]: () => {
      hasFailed = true;
      if (reads !== undefined) peek64(BigInt(reads));
      if (waits === undefined) return result;
      Deno.writeTextFileSync(waits, "");
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  } as Layer["commands"],
});
