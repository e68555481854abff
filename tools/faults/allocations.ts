import { compileFixture } from "../../tests/support/compile.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";
import { sizeOfVkAllocationCallbacks } from "../../loader/gen/native_gen.ts";
import { readCString } from "../../ffi/cstring.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import type { AnyHook, Layer } from "../../loader/layer.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";

const SYMBOLS = {
  allocator_watch: { parameters: [], result: "void" },
  allocator_begin: { parameters: ["u64"], result: "u64" },
  allocator_calls: { parameters: [], result: "u64" },
  allocator_live: { parameters: [], result: "u64" },
  allocator_live_emitted: { parameters: [], result: "u64" },
  allocator_wrong: { parameters: [], result: "u64" },
  allocator_who: { parameters: [], result: "u64" },
  allocator_wrong_by: { parameters: [], result: "u64" },
} as const;

/** The counts of one run of a program. */
export interface Allocations {
  /** Allocations that the driver and the loader asked for. */
  readonly calls: number;
  /** Allocations that nobody freed. */
  readonly live: number;
  /** The allocations among them that the loader itself had asked for. */
  readonly own: number;
  /** Addresses that were freed twice, or were never given out. */
  readonly wrong: number;
  /** The library that asked for the allocation which failed; empty if none failed. */
  readonly who: string;
  /** The library that first freed a wrong address; empty if none did. */
  readonly wrongBy: string;
}

/** The name for libraries of this project: they have none of their own. */
export const OURS = "Pumice";

/** VkAllocationCallbacks of which one allocation fails, in native code: drivers allocate on threads of their own. */
export class FailingAllocator implements Disposable {
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  /** The struct, in memory that layers may hand on. */
  readonly #callbacks = new NativeBlock(sizeOfVkAllocationCallbacks);

  private constructor(path: string) {
    this.#library = Deno.dlopen(path, SYMBOLS);
  }

  /** Opens the allocator; `undefined` without a C compiler. */
  static open(): FailingAllocator | undefined {
    const path = compileFixture("failing_allocator", ["-funwind-tables"]);
    return path === undefined ? undefined : new FailingAllocator(path);
  }

  /** Lets a crash of this process name the library in its last line, as `signal N in NAME`. */
  watch(): void {
    this.#library.symbols.allocator_watch();
  }

  /** Fails the allocation of a number from now on; none for 0. */
  begin(number: number): void {
    const callbacks = this.#library.symbols.allocator_begin(BigInt(number));
    copyMemory(this.#callbacks.address, callbacks, sizeOfVkAllocationCallbacks);
  }

  /** The counts since {@linkcode begin}. */
  get counts(): Allocations {
    const { symbols } = this.#library;
    const [calls, live, own, wrong] = [
      symbols.allocator_calls(),
      symbols.allocator_live(),
      symbols.allocator_live_emitted(),
      symbols.allocator_wrong(),
    ].map(Number);
    const [who, wrongBy] = [symbols.allocator_who(), symbols.allocator_wrong_by()].map((name) =>
      nameOf(readCString(name))
    );
    return { calls, live, own, wrong, who, wrongBy };
  }

  /** A layer that gives these callbacks to every command for which a program gives none. */
  get layer(): Layer {
    return defineLayer({
      name: "VK_LAYER_PUMICE_allocations",
      anyCommand: (command) => {
        const at = findCommand(command)?.params.findIndex(({ name }) => name === "pAllocator") ?? -1;
        if (at < 0) return undefined;
        const hook: AnyHook = (next, ...args) =>
          next(...args.with(at, args[at] === 0n ? this.#callbacks.address : args[at]));
        return hook;
      },
    });
  }

  [Symbol.dispose](): void {
    this.#callbacks.close();
    this.#library.close();
  }
}

/** The name of a library by its file: the emitted image is opened by the number of its descriptor. */
export function nameOf(file: string): string {
  return /^(?:\d+|memfd:.*|deno|unknown code)$/.test(file) ? OURS : file;
}
