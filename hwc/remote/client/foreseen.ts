import type { Outcome } from "../answer.ts";
import { closeFences } from "../answer.ts";
import type { CommandName } from "../commands.ts";

/**
 * The questions that nearly always follow a command. They go along with it, so
 * that a frame takes two answers instead of six.
 */
export const NEXT_QUESTIONS: Readonly<Partial<Record<CommandName, readonly CommandName[]>>> = {
  validateDisplay: ["getChangedCompositionTypes", "getDisplayRequests", "getClientTargetProperty"],
  presentDisplay: ["getReleaseFences"],
};

/** Answers to questions about a display that were not asked yet. They hold until any other command. */
export class Foreseen {
  #display: unknown;
  #values = new Map<string, unknown>();

  /** Keeps the answers that came behind another; names by their places. */
  keep(display: unknown, names: ReadonlyMap<number, CommandName>, outcomes: ReadonlyMap<number, Outcome>): void {
    this.#display = display;
    for (const [index, name] of names) {
      const outcome = outcomes.get(index);
      if (outcome?.error === 0) this.#values.set(name, outcome.value);
    }
  }

  /** The answer to a question, once. */
  take(name: string, display: unknown): { readonly value: unknown } | undefined {
    if (display !== this.#display || !this.#values.has(name)) return undefined;
    const value = this.#values.get(name);
    this.#values.delete(name);
    return { value };
  }

  /** Forgets the answers, which may have changed. */
  forget(): void {
    if (this.#values.size === 0) return;
    for (const value of this.#values.values()) closeFences(value);
    this.#values.clear();
  }
}
