import { type RecordedLine, type RecordedStream, writeRecording } from "../../loader/layers.ts";

/** A file for recordings that differ only in their lines: the bytes beside it are written once. */
export class Candidate {
  /** The file. */
  readonly path: string;
  readonly #header: string;

  /** Writes the whole recording. */
  constructor(path: string, stream: RecordedStream) {
    this.path = path;
    writeRecording(path, stream);
    this.#header = Deno.readTextFileSync(path).split("\n", 1)[0];
  }

  /** Writes other lines, without a seal. */
  write(lines: readonly RecordedLine[]): void {
    Deno.writeTextFileSync(this.path, [this.#header, ...lines.map((line) => JSON.stringify(line)), ""].join("\n"));
  }
}
