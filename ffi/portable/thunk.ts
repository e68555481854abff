import type { NativeFunction } from "../image/image.ts";
import { foreignParameters, foreignResult, type Signature } from "../signature.ts";
import { portableFunction } from "./call.ts";
import { storeFault } from "../fault.ts";

/** A callback without emitted code: any other thread that calls it waits for this isolate's event loop. */
export class PortableThunk {
  /** The function's address. */
  readonly address: bigint;
  /** Calls `next`, or answers the failure when there is none. */
  readonly passOn: NativeFunction;
  readonly #callback: BlockingCallback;
  #open = true;
  #free = false;

  /** Makes a callback; `next` and `failure` are used once it is closed. */
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

  /** Ends the handler's part. */
  close(): void {
    this.#open = false;
  }

  /** Closes and gives the callback's memory back: only when no native code holds the address. */
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

/** A callback of Deno's own: on another thread it waits for this isolate's event loop. */
type BlockingCallback = Deno.UnsafeCallback<Deno.UnsafeCallbackDefinition>;

/** Makes one around a handler; what the handler throws is kept, and native code gets `failure`. */
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
