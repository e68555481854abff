import type { NativeFile } from "../../../loader/layers/shipped/native/file.ts";
import { crc32 } from "./crc32.ts";
import type { RecordedCall, RecordedLine, RecordEnd, RecordHeader } from "./line.ts";

/** A call within which the driver is, or the text of a line that waits for one before it. */
type Held = string | OpenCall;

/** A call whose end is not known yet. */
export interface OpenCall {
  readonly call: RecordedCall;
  /** Whether it counts from its end, as a wait does, so that other lines may come before it. */
  readonly isWait: boolean;
}

/**
 * The file of a recording. The beginning of a call's line is in the file before
 * the driver is entered, and the rest when the call has returned, so that a call
 * in which the program ends is the last thing there. Lines that come while a
 * call of another thread is in the driver wait for its end. A wait makes way for
 * them, and a call that fails is removed again.
 */
export class LineFile {
  readonly #file: NativeFile;
  /** Lines and calls behind the call in the file, in the order in which they came. */
  #held: Held[] = [];
  /** The call of which the beginning is in the file: its text, and where that begins. */
  #begun: { readonly open: OpenCall; readonly text: string; readonly at: number } | undefined;
  #lines = 0;
  #crc32 = 0;
  /** Whether the beginning of a line can be removed again. */
  readonly #canCut: boolean;

  /** Writes the first line. Closes the file and throws an `Error` if the system refuses. */
  constructor(file: NativeFile, header: RecordHeader) {
    this.#file = file;
    try {
      this.#write(`${JSON.stringify(header)}\n`);
    } catch (error) {
      file.close();
      throw error;
    }
    this.#canCut = file.cutTo(file.size);
  }

  /** Notes that the driver is entered. */
  begin(call: RecordedCall, isWait: boolean): OpenCall {
    const open = { call, isWait };
    this.#makeWay();
    if (this.#begun) this.#held.push(open);
    else this.#beginInFile(open);
    return open;
  }

  /** Notes that a call has returned. `line` is what is written for it; `undefined` removes the call. */
  end(open: OpenCall, line: RecordedCall | undefined): void {
    const index = this.#held.indexOf(open);
    if (this.#begun?.open === open) this.#endInFile(line);
    else if (index >= 0) this.#held.splice(index, 1, ...line ? [textOf(line)] : []);
    else if (line) this.put(line);
    this.#catchUp();
  }

  /** Writes a line that is no call, or of a call that has returned. */
  put(line: RecordedLine): void {
    this.#makeWay();
    if (this.#begun) this.#held.push(textOf(line));
    else this.#writeLine(textOf(line));
  }

  /**
   * Writes what is left, with calls that did not return, and the last line.
   * Closes the file. Of waits that did not return, a replay needs only what
   * nothing came after.
   */
  close(): void {
    using file = this.#file;
    const begun = this.#begun?.open, left = begun ? [begun, ...this.#held] : this.#held;
    this.#removeBegun();
    for (const each of left) {
      if (typeof each === "string") this.#writeLine(each);
      else if (!each.isWait || each === begun) this.#writeLine(textOf({ ...each.call, unfinished: true }));
    }
    const end: RecordEnd = { lines: this.#lines, crc32: this.#crc32.toString(16) };
    file.writeText(`${JSON.stringify(end)}\n`);
  }

  /** Closes the file as it is. */
  abandon(): void {
    this.#file.close();
  }

  #beginInFile(open: OpenCall): void {
    if (!this.#canCut) {
      this.#begun = { open, text: "", at: this.#file.size };
      return;
    }
    const { command, args } = open.call, text = JSON.stringify({ command, args }).slice(0, -1);
    this.#begun = { open, text, at: this.#file.size };
    this.#write(text);
  }

  #endInFile(line: RecordedCall | undefined): void {
    const { open: { call }, text } = this.#begun!;
    if (line !== call || text === "") {
      this.#removeBegun();
      if (line) this.#writeLine(textOf(line));
      return;
    }
    const { command: _, args: __, ...answer } = line, rest = JSON.stringify(answer).slice(1);
    const tail = `${rest === "}" ? "" : ","}${rest}\n`;
    this.#write(tail);
    this.#begun = undefined;
    this.#count(text + tail);
  }

  /** A wait leaves the file when other lines come. */
  #makeWay(): void {
    if (this.#begun?.open.isWait) this.#removeBegun();
  }

  #removeBegun(): void {
    if (this.#begun && this.#canCut) this.#file.cutTo(this.#begun.at);
    this.#begun = undefined;
  }

  /** Writes what has waited, as far as its calls have returned. */
  #catchUp(): void {
    while (!this.#begun && this.#held.length > 0) {
      const next = this.#held.shift()!;
      if (typeof next === "string") this.#writeLine(next);
      else if (this.#held.length === 0 || !next.isWait) this.#beginInFile(next);
    }
  }

  #writeLine(text: string): void {
    this.#write(text);
    this.#count(text);
  }

  #count(text: string): void {
    this.#crc32 = crc32(text, this.#crc32);
    this.#lines++;
  }

  /** Writes all of a text or, in a file, nothing of it and of the line that it belongs to. */
  #write(text: string): void {
    const at = this.#begun?.at ?? this.#file.size;
    try {
      this.#file.writeText(text);
    } catch (error) {
      this.#file.cutTo(at);
      throw error;
    }
  }
}

function textOf(line: RecordedLine): string {
  return `${JSON.stringify(line)}\n`;
}
