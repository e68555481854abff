import { arenaMemory } from "./arena_memory.ts";
import { storeFault } from "./error.ts";
import type { NativeFunction } from "./image/image.ts";
import { libc } from "./libc.ts";
import { foreignParameters, foreignResult, parseSignature, type Signature } from "./signature.ts";

const FUNCTION_POINTER_TYPES: Record<string, Deno.NativeType> = {
  q: "u64",
  w: "u32",
  s: "i32",
  f: "f32",
  d: "f64",
  o: "u64",
};

const bound = new Map<string, NativeFunction>();

/** Returns a function at an address, called through Deno's function pointers. Slow, but needs no emitted code. */
export function portableFunction(address: bigint, text: string): NativeFunction {
  const key = `${address} ${text}`;
  const known = bound.get(key);
  if (known) return known;
  const signature = parseSignature(text);
  const pointer = new Deno.UnsafeFnPointer(Deno.UnsafePointer.create(address)!, {
    parameters: Array.from(signature.parameters, (letter) => FUNCTION_POINTER_TYPES[letter]),
    result: foreignResult(signature),
  });
  const call: NativeFunction = (...args) => pointer.call(...withAddresses(signature, args) as never[]);
  bound.set(key, call);
  return call;
}

function withAddresses(signature: Signature, args: unknown[]): unknown[] {
  if (!signature.parameters.includes("o")) return args;
  return args.map((arg, index) => signature.parameters[index] === "o" ? addressOf(arg as number) : arg);
}

function addressOf(offset: number): bigint {
  return offset === 0 ? 0n : arenaMemory().base + BigInt(offset);
}

function viewAt(address: bigint, size: number): DataView {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) throw new TypeError("Cannot read or write at address 0: the pointer is NULL");
  return new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, size));
}

/** The helpers of the core image without emitted code. */
export const PORTABLE: Readonly<Record<string, NativeFunction>> = {
  peek8: (address: bigint) => viewAt(address, 1).getUint8(0),
  peek16: (address: bigint) => viewAt(address, 2).getUint16(0, true),
  peek32: (address: bigint) => viewAt(address, 4).getUint32(0, true),
  peek64: (address: bigint) => viewAt(address, 8).getBigUint64(0, true),
  poke8: (address: bigint, value: number) => viewAt(address, 1).setUint8(0, value),
  poke16: (address: bigint, value: number) => viewAt(address, 2).setUint16(0, value, true),
  poke32: (address: bigint, value: number) => viewAt(address, 4).setUint32(0, value, true),
  poke64: (address: bigint, value: bigint) => viewAt(address, 8).setBigUint64(0, value, true),
  publish64: (address: bigint, value: bigint) => viewAt(address, 8).setBigUint64(0, value, true),
  acquire64: (address: bigint) => viewAt(address, 8).getBigUint64(0, true),
  exchange64(address: bigint, value: bigint) {
    const view = viewAt(address, 8), before = view.getBigUint64(0, true);
    view.setBigUint64(0, value, true);
    return before;
  },
  copy: (to: bigint, from: bigint, size: number) => void libc().memcpy(to, from, BigInt(size)),
  copyToArena: (to: number, from: bigint, size: number) =>
    void libc().memcpy(arenaMemory().base + BigInt(to), from, BigInt(size)),
  copyFromArena: (to: bigint, from: number, size: number) =>
    void libc().memcpy(to, arenaMemory().base + BigInt(from), BigInt(size)),
  threadPointer: () => 0n, // unknown, and nothing portable compares it
  fillTable: fillTable,
  fillByName: (getProcAddr, _handle, names, table, sizes) => fillTable(getProcAddr, undefined, names, table, sizes),
};

function fillTable(
  getProcAddr: bigint,
  handle: bigint | undefined,
  names: bigint,
  table: bigint,
  sizes: bigint,
): void {
  const call = portableFunction(getProcAddr, "q:qq");
  let name = names, entry = table;
  for (let size = sizes; PORTABLE.peek32(size) !== 0; entry += 8n, size += 4n) {
    const known = handle === undefined && PORTABLE.peek64(entry) !== 0n;
    if (!known) PORTABLE.poke64(entry, call(handle ?? name, name));
    name += BigInt(PORTABLE.peek32(size));
  }
}

/** A callback without emitted code. Another thread that calls it waits for this isolate's event loop. */
export class PortableThunk {
  /** The function's address. */
  readonly address: bigint;
  /** Calls `next`, or returns the failure if there is no `next`. */
  readonly passOn: NativeFunction;
  readonly #callback: BlockingCallback;
  #open = true;
  #free = false;

  /** Makes a callback. `next` and `failure` take effect after the callback is closed. */
  constructor(
    signature: Signature,
    handler: NativeFunction,
    options: { readonly next?: bigint; readonly failure: number | bigint },
  ) {
    const { next = 0n, failure } = options;
    this.passOn = (...args) => next === 0n ? failure : portableFunction(next, signature.text)(...args);
    const run: NativeFunction = (...args) => this.#open ? handler(...args) : this.passOn(...args);
    this.#callback = blockingCallback(signature, run, failure);
    this.address = callbackAddress(this.#callback);
  }

  /** Disconnects the handler. */
  close(): void {
    this.#open = false;
  }

  /** Closes the thunk and frees the callback's memory. Call this method only when no native code holds the address. */
  free(): void {
    this.close();
    if (this.#free) return;
    this.#free = true;
    this.#callback.close();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** One of Deno's own callbacks. On another thread, the call waits for this isolate's event loop. */
type BlockingCallback = Deno.UnsafeCallback<Deno.UnsafeCallbackDefinition>;

/** Makes a callback around a handler. An error of the handler is stored, and native code gets `failure`. */
function blockingCallback(
  signature: Signature,
  handler: NativeFunction,
  failure: number | bigint,
): BlockingCallback {
  const definition = {
    parameters: foreignParameters(signature),
    result: foreignResult(signature),
  } as Deno.UnsafeCallbackDefinition;
  return new Deno.UnsafeCallback(definition, (...args: unknown[]) => {
    try {
      const result = handler(...args);
      if (signature.result !== "v" && typeof result !== typeof failure) {
        throw new TypeError(`Cannot return ${typeof result} from a callback of signature "${signature.text}"`);
      }
      return result;
    } catch (error) {
      storeFault(error);
      return failure as never;
    }
  });
}

/** A callback's address. */
function callbackAddress(callback: BlockingCallback): bigint {
  return Deno.UnsafePointer.value(callback.pointer);
}
