import { storeFault } from "../fault.ts";
import type { NativeFunction } from "../image/image.ts";
import { foreignParameters, foreignResult, type Signature } from "../signature.ts";

/** A callback of Deno's own: on another thread it waits for this isolate's event loop. */
export type BlockingCallback = Deno.UnsafeCallback<Deno.UnsafeCallbackDefinition>;

/** Makes one around a handler; what the handler throws is kept, and native code gets `failure`. */
export function blockingCallback(
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
export function callbackAddress(callback: BlockingCallback): bigint {
  return Deno.UnsafePointer.value(callback.pointer);
}
