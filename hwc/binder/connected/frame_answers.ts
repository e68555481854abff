import type { ReleaseFence } from "../../composer_records.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { Validated } from "../served/frame.ts";

/** Answers of a service about a display's last frame, until the client changes something. */
export class FrameAnswers {
  readonly #validated = new Map<bigint, Validated>();
  readonly #releases = new Map<bigint, readonly ReleaseFence[]>();

  /** A display was validated. */
  validated(display: bigint, answer: Validated): void {
    this.#validated.set(display, answer);
  }

  /** The answer of the validation. Throws NOT_VALIDATED if the display has changed since. */
  of(method: string, display: bigint): Validated {
    const answer = this.#validated.get(display);
    if (answer) return answer;
    throw new HwcError(method, ERROR.NOT_VALIDATED, "the display changed; call validateDisplay() first");
  }

  /** Whether a display is as its validation found it. */
  isValid(display: bigint): boolean {
    return this.#validated.has(display);
  }

  /** Whether a frame was presented. */
  hasPresented(display: bigint): boolean {
    return this.#releases.has(display);
  }

  /** The client took the changes. */
  accepted(display: bigint): void {
    const answer = this.#validated.get(display);
    if (answer) this.#validated.set(display, { ...answer, changes: [] });
  }

  /** The client changed something. */
  changed(display: bigint): void {
    this.#validated.delete(display);
  }

  /** A frame was presented, and these fences came. */
  presented(display: bigint, releases: readonly ReleaseFence[]): void {
    this.#close(display);
    this.#releases.set(display, releases);
  }

  /** The release fences of the last frame, which are the caller's. */
  releasesOf(display: bigint): ReleaseFence[] {
    return (this.#releases.get(display) ?? []).map(({ layer, fence }) => ({ layer, fence: fence.dup() }));
  }

  /** Closes the fences of all displays. */
  close(): void {
    for (const display of [...this.#releases.keys()]) this.#close(display);
    this.#validated.clear();
  }

  #close(display: bigint): void {
    for (const { fence } of this.#releases.get(display) ?? []) fence.close();
    this.#releases.delete(display);
  }
}
