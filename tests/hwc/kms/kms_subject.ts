import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import type { CardOptions } from "../../../hwc/kms/card/card.ts";
import { createKmsComposer } from "../../../hwc/kms/create_kms_composer.ts";
import type { KmsComposerOptions } from "../../../hwc/kms/options.ts";
import { createReferenceBackend } from "../../../hwc/backends/create.ts";
import type { Factory } from "../suite/stage.ts";

/** The compositor that the cases expect. */
export function roundingOnce(): NonNullable<KmsComposerOptions["compositor"]> {
  const backend = createReferenceBackend();
  return (target, layers, settings) => backend.compose(target, layers, { rule: "round-once", ...settings });
}

/** A composer on a card, whose time is the real one. The settings of simulated panels mean nothing to it. */
export function kmsSubject(card: CardOptions): Factory {
  return ({ bootConfigs, fenceTimeout, compositor = roundingOnce() }) => {
    const composer = createKmsComposer({ card, bootConfigs, fenceTimeout, compositor, flattenAfter: 0 });
    return {
      composer,
      controls: composer,
      now: monotonicNow,
      pass: (nanoseconds) => new Promise((resolve) => setTimeout(resolve, Math.ceil(Number(nanoseconds) / 1e6))),
      close: () => composer[Symbol.asyncDispose](),
    };
  };
}
