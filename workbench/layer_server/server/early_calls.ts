/** The calls of each command that went on before their hooks ended, and what people are told of them. */
export class EarlyCalls {
  readonly #counts = new Map<string, number>();
  readonly #log: (message: string) => void;

  /** No call has gone on early so far. */
  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Counts a call, and tells of the first one of a command; {@linkcode EarlyCalls.tellRest} tells how many more there were. */
  note(command: string, thread: number): void {
    const before = this.#counts.get(command) ?? 0;
    this.#counts.set(command, before + 1);
    if (before > 0) return;
    this.#log(
      `${command} of thread ${thread} went on with the result of "next", ` +
        "because another thread's call takes long; its hooks end later",
    );
  }

  /** Tells how many calls went on early besides the first of each command. */
  tellRest(): void {
    for (const [name, count] of this.#counts) {
      if (count > 1) this.#log(`${count - 1} more calls of ${name} went on so, on whatever threads`);
    }
  }
}
