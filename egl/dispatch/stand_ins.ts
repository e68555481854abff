import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";

/** Milliseconds after a report in which further missing functions are not reported. */
const SILENCE = 1000;

/** The message about a call whose name is no longer known. */
const UNNAMED =
  "native code called a command that the driver lacks, or that is not in the version and extensions of any " +
  "context that was current so far";

/**
 * The functions that stand in where there is no other: for commands that the
 * driver lacks, that are called without a context, that do nothing on purpose.
 * All return 0, from any thread; they say so from this isolate's alone.
 */
export class StandIns {
  readonly #say: (message: string) => void;
  readonly #named = new Map<string, Thunk>();
  #silentUntil = -Infinity;
  #saidNoContext = false;
  #unnamed: Thunk | undefined;
  #noContext: Thunk | undefined;
  #nothing: Thunk | undefined;

  /** Makes none yet. */
  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  /** The stand-in for any command that the driver lacks; the name of the command is not known. */
  get unnamed(): bigint {
    return (this.#unnamed ??= this.#make(() => this.#missing(UNNAMED))).address;
  }

  /** For any command when no context is current. */
  get noContext(): bigint {
    return (this.#noContext ??= this.#make(() => this.#sayNoContext())).address;
  }

  /** Does nothing and says nothing. */
  get nothing(): bigint {
    return (this.#nothing ??= this.#make(() => {})).address;
  }

  /** For one command the driver lacks. */
  named(name: string): bigint {
    const known = this.#named.get(name) ?? this.#make(() => this.#missing(`the driver has no ${name}`));
    this.#named.set(name, known);
    return known.address;
  }

  /** Gives everything back: no table may lead here any more. */
  close(): void {
    for (const thunk of [...this.#named.values(), this.#unnamed, this.#noContext, this.#nothing]) thunk?.free();
    this.#named.clear();
    this.#unnamed = this.#noContext = this.#nothing = undefined;
  }

  #make(handler: () => void): Thunk {
    return createThunk("q:", () => {
      handler();
      return 0n;
    });
  }

  #missing(what: string): void {
    const now = performance.now();
    if (now < this.#silentUntil) return;
    this.#silentUntil = now + SILENCE;
    this.#say(`called unimplemented OpenGL ES API: ${what}; nothing was done. Ask egl.supports() first`);
  }

  #sayNoContext(): void {
    if (this.#saidNoContext) return;
    this.#saidNoContext = true;
    this.#say(
      "call to OpenGL ES API with no current context (logged once per thread): call eglMakeCurrent() with one first",
    );
  }
}
