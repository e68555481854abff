import { type DeqpCase, type DeqpStatus, statusOf } from "./status.ts";

const CASE = /^Test case '([^']+)'\.\./, RESULT = /^\s+(\w+)(?: (\(.*))?\s*$/;
/** The part of a reason up to the last line that ends with a bracket. */
const ENDED = /^[^]*\)$/m, LONGEST = 16_000;
const LOST = "VK_ERROR_DEVICE_LOST";

/** Events of the cases of a process. */
export interface OutputEvents {
  /** A case began. */
  started(name: string): void;
  /** A case ended. */
  ended(result: DeqpCase): void;
}

/**
 * Parses dEQP's output: `Test case 'NAME'..`, and below it `  Pass (why)`. The reason may have several lines; it ends
 * with the bracket that closes the first one, otherwise before the next case or at the end of the output.
 */
export class OutputReader {
  readonly #events: OutputEvents;
  #running: string | undefined;
  /** The result whose reason may go on in the next line. */
  #open: { readonly status: DeqpStatus; reason: string } | undefined;
  #line = "";

  /** Reports to `events`. */
  constructor(events: OutputEvents) {
    this.#events = events;
  }

  /** Reports a result whose reason is whole, at the end of the output. A reason that was cut off is no result. */
  finish(): void {
    const reason = this.#open && ENDED.exec(this.#open.reason)?.[0];
    if (reason) this.#end({ ...this.#open!, reason });
  }

  /** The case that has begun and not ended. */
  get running(): string | undefined {
    return this.#running;
  }

  /** Takes a piece of the output, with any boundaries. */
  write(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop()!;
    for (const line of lines) this.#read(line.replace(/\r$/, ""));
  }

  #read(line: string): void {
    const began = CASE.exec(line);
    if (began) this.#begin(began[1]);
    else if (this.#open) this.#goOn(this.#open, line);
    else if (this.#running !== undefined) this.#take(RESULT.exec(line));
  }

  #begin(name: string): void {
    this.finish();
    if (this.#open) this.#end(this.#open);
    this.#events.started(this.#running = name);
  }

  #take(result: RegExpExecArray | null): void {
    const status = result && statusOf(result[1]);
    if (!status) return;
    const reason = result[2]?.trimEnd() ?? "()";
    this.#open = { status, reason };
    if (isClosed(reason)) this.#end(this.#open);
  }

  #goOn(open: { readonly status: DeqpStatus; reason: string }, line: string): void {
    open.reason += `\n${line.trimEnd()}`;
    if (isClosed(open.reason) || open.reason.length > LONGEST) this.#end(open);
  }

  #end({ status, reason }: { readonly status: DeqpStatus; readonly reason: string }): void {
    const name = this.#running!, message = reason.slice(1).replace(/\)\s*$/, "");
    this.#running = this.#open = undefined;
    this.#events.ended({ name, status: lost(status, message), message });
  }
}

/** Whether as many brackets end as begin. */
function isClosed(reason: string): boolean {
  return reason.endsWith(")") && reason.split("(").length <= reason.split(")").length;
}

/** A lost device gets one status, whatever dEQP calls it. */
function lost(status: DeqpStatus, message: string): DeqpStatus {
  return status !== "Pass" && message.includes(LOST) ? "DeviceLost" : status;
}
