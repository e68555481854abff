import { EGL_SUCCESS } from "../gen/egl_constants_gen.js";

/** The loader's own error on its isolate's thread: a word that machine code can read and clear, too. */
export class ErrorWord {
  #view: DataView = new DataView(new ArrayBuffer(8));
  #at = 0;

  /** Begins without an error. */
  constructor() {
    this.value = EGL_SUCCESS;
  }

  /** The error. */
  get value(): number {
    return this.#view.getUint32(this.#at, true);
  }
  set value(code: number) {
    this.#view.setUint32(this.#at, code, true);
  }

  /** Moves the word to another place in memory. */
  moveTo({ view, at }: { readonly view: DataView; readonly at: number }): void {
    const { value } = this;
    [this.#view, this.#at] = [view, at];
    this.value = value;
  }

  /** Takes it back to memory of its own. */
  moveBack(): void {
    this.moveTo({ view: new DataView(new ArrayBuffer(8)), at: 0 });
  }
}
