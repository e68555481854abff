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
