// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * How to watch the handles that come and go with a command. In a successful
 * call the functions get only three arguments, the first and the two of the
 * watch, so that no array of all is made for each call.
 */
export interface HandleWatch {
  /** Index of the argument that is the handle, or points to the handles. */
  readonly place: number;
  /** Index of the argument that is the number of handles, or points to it. */
  readonly measure: number;
  /** Called before the command below. */
  before?(owner: bigint, place: bigint, measure: bigint): void;
  /** Called after the command below has returned, with the same arguments. */
  after?(owner: bigint, place: bigint, measure: bigint, result: unknown): void;
  /** Throws a `TypeError` if the hook returns an object that nobody below has created. */
  returns?(owner: bigint, place: bigint, measure: bigint, result: unknown): void;
  /** Called if the hook failed after all. No object may stay where the caller, or a hook above, would look. */
  undo?(args: Arguments): void;
  /** Notes the beginnings and ends of the command's hooks. */
  readonly destroyed?: DestroyedHandles;
  /**
   * Whether the command below must be called although the hook has failed.
   * `began` is the result of `destroyed.begin()`.
   */
  owes?(args: Arguments, began: number): boolean;
}

/** The handles that were passed on for destruction since the outermost running hook of a destruction began. */
export class DestroyedHandles {
  /** In an array of this kind, a bigint need not be made an object. */
  #handles = new BigUint64Array(16);
  #count = 0;
  /** How many hooks are running. */
  #depth = 0;

  /** Notes that a hook begins. Returns the time of the beginning, for {@linkcode DestroyedHandles.hasSince}. */
  begin(): number {
    this.#depth++;
    return this.#count;
  }

  /** Notes that the latest hook ends. */
  end(): void {
    if (--this.#depth === 0) this.#count = 0;
  }

  /** Notes a handle, if a hook is running. */
  note(handle: bigint): void {
    if (this.#depth === 0) return;
    if (this.#count === this.#handles.length) this.#grow();
    this.#handles[this.#count++] = handle;
  }

  /** Whether a handle was noted since a running hook began. */
  hasSince(began: number, handle: bigint): boolean {
    return this.#count > began && this.#handles.lastIndexOf(handle, this.#count - 1) >= began;
  }

  /** Makes room for more handles. */
  #grow(): void {
    const handles = new BigUint64Array(2 * this.#handles.length);
    handles.set(this.#handles);
    this.#handles = handles;
  }
}
