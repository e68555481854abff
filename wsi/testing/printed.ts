/** Characters that are kept of the beginning and of the end of an output. */
const KEPT = 16 * 1024;
/** Milliseconds for the rest of an output after the end of its process, whose descendants may hold the pipe open. */
const REST = 1000;

/** The output of a process, of which the middle is left out if there is much. */
export class Printed {
  #first = "";
  #last = "";
  #all = 0;

  /** Adds a piece. */
  write(text: string): void {
    this.#all += text.length;
    const room = KEPT - this.#first.length;
    this.#first += text.slice(0, room);
    this.#last = (this.#last + text.slice(room)).slice(-KEPT);
  }

  /** The text, with a line about how much is missing. */
  text(): string {
    const missing = this.#all - this.#first.length - this.#last.length;
    return missing === 0 ? this.#first + this.#last : `${this.#first}\n… ${missing} characters …\n${this.#last}`;
  }
}

/** Reads a stream to its end, or for a moment after `ended`, which resolves when the process has ended. */
export async function printedIn(stream: ReadableStream<Uint8Array>, ended: Promise<unknown>): Promise<string> {
  const reader = stream.getReader(), decoder = new TextDecoder(), printed = new Printed();
  const late = Promise.withResolvers<undefined>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  void ended.then(() => timer = setTimeout(late.resolve, REST, undefined));
  for (;;) {
    const read = await Promise.race([reader.read(), late.promise]);
    if (!read || read.done) break;
    printed.write(decoder.decode(read.value, { stream: true }));
  }
  await ended;
  clearTimeout(timer);
  await reader.cancel();
  return printed.text();
}
