import type { TraceCall, TraceLine } from "./line.ts";
import { TextWriter } from "./text_writer.ts";

/** Turns the lines of a trace into text, one line for each call. */
export class TextLines {
  readonly #writer = new TextWriter();
  readonly #pending = new Map<number, TraceCall>();

  /** The text of a call that has returned; `undefined` for a line that ends none. */
  take(line: TraceLine): string | undefined {
    if ("in" in line) this.#pending.set(line.call, line);
    else if ("call" in line) {
      const call = this.#pending.get(line.call);
      this.#pending.delete(line.call);
      return `${call ? this.#writer.call(call) : `#${line.call}: ${line.command}`}${this.#writer.outcome(line)}`;
    }
  }

  /** The text of the calls that did not return. */
  rest(): string[] {
    return [...this.#pending.values()].map((call) => `${this.#writer.call(call)} did not return`);
  }
}
