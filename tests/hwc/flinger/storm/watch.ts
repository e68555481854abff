import { assert } from "@std/assert";
import type { ReferenceComposer } from "../../../../hwc/core/controls.ts";
import { HwcError } from "../../../../hwc/hwc_error.ts";
import { ERROR } from "../../../../hwc/types.ts";
import type { NativeFence } from "../../../../wsi/fence/native_fence.ts";

/** Between the flinger and the composer: sees every fence, and has things happen in the middle of frames. */
export class Watch {
  readonly composer: ReferenceComposer;
  /** Called before calls of a frame; may throw what the composer could. */
  onCall: (name: string, display: bigint) => void = () => {};
  /** Present fences that signalled. */
  presents = 0;
  /** Release fences that were handed out. */
  releases = 0;
  readonly #presents = new Map<bigint, NativeFence[]>();
  readonly #last = new Map<bigint, bigint>();

  constructor(composer: ReferenceComposer) {
    this.composer = new Proxy(composer, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || !IN_FRAMES.test(String(name))) return value;
        return (display: bigint, ...args: unknown[]) => {
          this.onCall(String(name), display);
          const answer: unknown = value.call(target, display, ...args);
          if (name === "presentDisplay") this.#presented(display, answer as NativeFence);
          if (name === "getReleaseFences") this.releases += (answer as unknown[]).length;
          return answer;
        };
      },
    });
  }

  /** The number of pending present fences. */
  get pending(): number {
    return [...this.#presents.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Present fences of a display signal one after the other. */
  look(): void {
    for (const [display, fences] of this.#presents) {
      const open = fences.findIndex((fence) => !fence.poll()), done = open < 0 ? fences.length : open;
      assert(fences.slice(done).every((fence) => !fence.poll()), `display ${display}: a later frame appeared first`);
      for (const fence of fences.splice(0, done)) this.#signalled(display, fence);
      if (fences.length === 0) this.#presents.delete(display);
    }
  }

  #signalled(display: bigint, fence: NativeFence): void {
    const time = fence.signalTime!, last = this.#last.get(display) ?? 0n;
    assert(time >= last, `display ${display}: a frame appeared at ${time}, after one at ${last}`);
    this.#last.set(display, time);
    fence.close();
    this.presents++;
  }

  /** Forgets a display that is no more, after a last look. */
  forget(display: bigint): void {
    this.look();
    this.#last.delete(display);
  }

  #presented(display: bigint, fence: NativeFence): void {
    const fences = this.#presents.get(display) ?? [];
    fences.push(fence.dup());
    this.#presents.set(display, fences);
  }
}

const IN_FRAMES =
  /^(validateDisplay|presentDisplay|getReleaseFences|setLayer.*|createLayer|destroyLayer|setClientTarget|setOutputBuffer|acceptDisplayChanges|getChangedCompositionTypes)$/;

/** The error of a composer in trouble. */
export function trouble(name: string): HwcError {
  return new HwcError(name, ERROR.NO_RESOURCES, "there is no room, for once");
}
