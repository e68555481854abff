import type { NativeFunction } from "../image/image.ts";
import { foreignParameters, foreignResult, type Signature } from "../signature.ts";
import { portableFunction } from "./call.ts";
import { storeFault } from "../fault.ts";

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
