import type { RecordedBytes, RecordedLine } from "../record/line.ts";
import { readRecording, type RecordedStream, writeRecording } from "../replay/stream.ts";
import { Sidecar } from "../record/sidecar.ts";
import type { Weight } from "./measure.ts";

/** A file for recordings that differ only in their lines. The bytes beside it are those of the whole recording, and what was added. */
export class Candidate {
  /** The file. */
  readonly path: string;
  readonly #header: string;
  readonly #data: RecordedStream["data"];
  readonly #sidecar: Sidecar;
  readonly #weights = new Map<string, Weight>();

  /** Writes the whole recording. */
  constructor(path: string, stream: RecordedStream) {
    this.path = path;
    writeRecording(path, stream);
    this.#header = Deno.readTextFileSync(path).split("\n", 1)[0];
    this.#sidecar = new Sidecar(path);
    this.#data = readRecording(path).data;
  }

  /** Writes other lines, without a seal. */
  write(lines: readonly RecordedLine[]): void {
    Deno.writeTextFileSync(this.path, [this.#header, ...lines.map((line) => JSON.stringify(line)), ""].join("\n"));
  }

  /** Returns lines as a recording. */
  streamOf(lines: readonly RecordedLine[]): RecordedStream {
    return { lines: [...lines], data: this.#data };
  }

  /** Returns recorded bytes. */
  readonly bytesOf = (content: RecordedBytes): Uint8Array => {
    if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    return "bytes" in content ? Uint8Array.fromHex(content.bytes) : this.#data(content.data);
  };

  /** Returns bytes as a line has them. */
  readonly contentOf = (bytes: Uint8Array): RecordedBytes => this.#sidecar.put(bytes);

  /** Weighs recorded bytes, those in a file only once. */
  readonly weigh = (content: RecordedBytes): Weight => {
    const key = "data" in content ? content.data : undefined,
      known = key === undefined ? undefined : this.#weights.get(key);
    if (known) return known;
    const bytes = this.bytesOf(content);
    const weight = { bytes: bytes.length, set: bytes.reduce((sum, byte) => sum + (byte === 0 ? 0 : 1), 0) };
    if (key !== undefined) this.#weights.set(key, weight);
    return weight;
  };
}
