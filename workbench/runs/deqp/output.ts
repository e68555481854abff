import { type DeqpCase, type DeqpStatus, statusOf } from "./status.ts";

const CASE = /^Test case '([^']+)'\.\./, RESULT = /^\s+(\w+)(?: \((.*)\))?\s*$/;
const LOST = "VK_ERROR_DEVICE_LOST";

/** Events of the cases of a process. */
export interface OutputEvents {
  /** A case began. */
  started(name: string): void;
  /** A case ended. */
  ended(result: DeqpCase): void;
}

/** Parses dEQP's output: `Test case 'NAME'..`, and below it `  Pass (why)`. */
export class OutputReader {
  readonly #events: OutputEvents;
  #running: string | undefined;
  #line = "";

  /** Reports to `events`. */
  constructor(events: OutputEvents) {
    this.#events = events;
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
    if (began) this.#events.started(this.#running = began[1]);
    else if (this.#running !== undefined) this.#end(this.#running, RESULT.exec(line));
  }

  #end(name: string, result: RegExpExecArray | null): void {
    const status = result && statusOf(result[1]);
    if (!status) return;
    this.#running = undefined;
    const message = result[2] ?? "";
    this.#events.ended({ name, status: lost(status, message), message });
  }
}

/** A lost device gets one status, whatever dEQP calls it. */
function lost(status: DeqpStatus, message: string): DeqpStatus {
  return status !== "Pass" && message.includes(LOST) ? "DeviceLost" : status;
}
