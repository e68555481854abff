/** Views of mapped buffers, by the buffers' names: contexts that share buffers share them. */
export class MappedBuffers {
  readonly #views = new Map<number, ArrayBuffer>();
  #contexts = 1;

  /** For one more context. */
  share(): MappedBuffers {
    this.#contexts++;
    return this;
  }

  /** A context is gone; with the last one, so are the buffers. */
  leave(): void {
    if (--this.#contexts === 0) { for (const name of [...this.#views.keys()]) this.end(name); }
  }

  /** A buffer was mapped. */
  begin(name: number, view: ArrayBuffer): void {
    this.end(name);
    this.#views.set(name, view);
  }

  /** A buffer is mapped no more: its view is empty from now on. */
  end(name: number): void {
    const view = this.#views.get(name);
    if (view) detach(view);
    this.#views.delete(name);
  }

  /** Whether no view is left. */
  get isEmpty(): boolean {
    return this.#views.size === 0;
  }

  /** Whether a buffer has a view that is not empty yet. */
  has(name: number): boolean {
    return this.#views.has(name);
  }
}

/** Makes the views of memory that is gone empty, so that using them cannot crash. */
function detach(buffer: ArrayBuffer): void {
  if (!buffer.detached) buffer.transfer(0);
}
