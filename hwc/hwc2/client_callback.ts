import { bindByAddress } from "../../ffi/stubs.ts";
import type { ComposerCallbacks } from "../composer_records.ts";
import type { Composer } from "../composer.ts";
import { refuse } from "../reference/refusal.ts";
import { ERROR } from "../types.ts";
import { Call } from "./call/call.ts";
import { CALLBACK_SHAPES, type CallbackShape } from "./call/callbacks.ts";

/** Registers a client's function with a composer; NULL ends it. */
export function registerNative(composer: Composer, descriptor: number, data: bigint, address: bigint): void {
  const shape = CALLBACK_SHAPES[descriptor];
  if (!shape) refuse(ERROR.BAD_PARAMETER, `there is no callback ${descriptor} in hwcomposer2.h; give 1 to 6`);
  const callback = address === 0n ? null : calling(shape, data, address);
  composer.registerCallback(descriptor as keyof ComposerCallbacks, callback as ComposerCallbacks[1] | null);
}

/** Ends all of a client's callbacks. */
export function unregisterAll(composer: Composer): void {
  for (const descriptor of Object.keys(CALLBACK_SHAPES)) {
    composer.registerCallback(Number(descriptor) as keyof ComposerCallbacks, null);
  }
}

function calling(shape: CallbackShape, data: bigint, address: bigint): (...args: unknown[]) => void {
  const native = bindByAddress(shape.signature);
  return (display, ...values) => {
    const call = new Call();
    try {
      native(data, display as bigint, ...shape.write(values, call), address);
    } finally {
      call.finish(true);
    }
  };
}
