import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { NativeBlock } from "../../../ffi/block.ts";
import { invoke } from "../../../ffi/invoke.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { mappings, openFiles } from "../../support/open_files.ts";

/** What a process has of the system's resources. */
export interface Holdings {
  /** Open file descriptors. */
  readonly files: number;
  /** Memory mappings, those of the engine's heap among them. */
  readonly mappings: number;
  /** Of these, the shared ones of memfds: gralloc's buffers and drivers' memory. */
  readonly shared: number;
  /** The engine's heap, KiB: it grows in steps, by 16 MiB when it sees many short-lived objects. */
  readonly heap: number;
  /** What is allocated with malloc, by drivers and by ourselves, without the engine's own buffers, KiB. */
  readonly allocated: number;
}

/** Counts them for this process. */
export function holdings(): Holdings {
  const { external, heapTotal } = Deno.memoryUsage();
  return {
    files: openFiles(),
    mappings: mappings(""),
    shared: mappings("memfd:"),
    heap: Math.round(heapTotal / 1024),
    allocated: Math.round((allocated() - external) / 1024),
  };
}

/** What scripts have left behind gives back its memory. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let time = 0; time < 2; time++) collect(); // buffers go in the second
}

/** By `mallinfo2()`, whose result goes to the address in its hidden first argument. */
function allocated(): number {
  using memory = new NativeBlock(10 * 8);
  invoke(libcAddress("mallinfo2"), "v:q", [memory.address]);
  const [hblkhd, uordblks] = [4, 7].map((field) => memory.view.getBigUint64(8 * field, true));
  return Number(hblkhd + uordblks);
}

/**
 * By how much there is more in the end, of what nobody but the window system
 * and drivers has. What is allocated goes by the median of the steps: a leak
 * grows in each, what a driver compiles or keeps comes once.
 */
export function growth(steps: readonly Holdings[]): Pick<Holdings, "files" | "shared" | "allocated"> {
  const [warm, end] = [steps[0], steps.at(-1)!];
  const rises = steps.slice(1).map(({ allocated }, index) => allocated - steps[index].allocated).sort((a, b) => a - b);
  return {
    files: end.files - warm.files,
    shared: end.shared - warm.shared,
    allocated: rises.length * rises[rises.length >> 1],
  };
}
