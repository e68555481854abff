import type { FactsRequest, RestRequest, RunRequest } from "./protocol.ts";

/** The lines of standard input, waited for: a replay cannot rest in any other way. */
export class RequestLines {
  readonly #buffer = new Uint8Array(65536);
  #text = "";
  readonly #decoder = new TextDecoder();

  /** Returns the next request; `undefined` at the end. */
  next(): FactsRequest | RunRequest | RestRequest | undefined {
    let end = this.#text.indexOf("\n");
    while (end < 0) {
      const count = Deno.stdin.readSync(this.#buffer);
      if (count === null) return undefined;
      this.#text += this.#decoder.decode(this.#buffer.subarray(0, count), { stream: true });
      end = this.#text.indexOf("\n");
    }
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return JSON.parse(line);
  }
}
