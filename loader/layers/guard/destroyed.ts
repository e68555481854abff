/** The handles that were passed on to be destroyed since the outermost running hook of a destruction began. */
export class DestroyedHandles {
  readonly #handles: bigint[] = [];
  #count = 0;
  /** How many there were when each running hook began. */
  readonly #begun: number[] = [];

  /** A hook begins. */
  begin(): void {
    this.#begun.push(this.#count);
  }

  /** The hook that began last ends. */
  end(): void {
    this.#begun.pop();
    if (this.#begun.length === 0) this.#count = 0;
  }

  /** Notes a handle, if a hook is running. */
  note(handle: bigint): void {
    if (this.#begun.length > 0) this.#handles[this.#count++] = handle;
  }

  /** Whether a handle was noted since the hook began that began last. */
  has(handle: bigint): boolean {
    const at = this.#handles.lastIndexOf(handle, this.#count - 1);
    return this.#count > 0 && at >= this.#begun.at(-1)!;
  }
}
