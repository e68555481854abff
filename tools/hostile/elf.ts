import { inspectElf } from "../../ffi/library/elf_file.ts";
import { type Row, tried } from "./outcome.ts";

/** A range of bytes in a file. */
interface Range {
  readonly name: string;
  readonly at: number;
  readonly size: number;
}

const HEADER = 64, PROGRAM_HEADER = 56, PT_DYNAMIC = 2;

/** The ELF header, the program headers and the dynamic section of a 64-bit library. */
export function elfRanges(bytes: DataView): Range[] {
  const at = Number(bytes.getBigUint64(32, true)), count = bytes.getUint16(56, true);
  const headers = Array.from({ length: count }, (_, index) => at + index * PROGRAM_HEADER);
  const dynamic = headers.find((header) => bytes.getUint32(header, true) === PT_DYNAMIC)!;
  const [start, size] = [8, 32].map((offset) => Number(bytes.getBigUint64(dynamic + offset, true)));
  return [
    { name: "header", at: 0, size: HEADER },
    { name: "program headers", at, size: count * PROGRAM_HEADER },
    { name: "dynamic section", at: start, size },
  ];
}

/** Values that a byte is changed to: each bit turned, none, all, and the next. */
export function changesOf(byte: number): number[] {
  const bits = Array.from({ length: 8 }, (_, bit) => byte ^ 1 << bit);
  return [...new Set([...bits, 0, 0xff, byte + 1 & 0xff])].filter((value) => value !== byte);
}

/** A byte that is changed. */
export interface Change {
  readonly place: number;
  readonly value: number;
}

/** The dynamic linker's treatment of a changed file, in a process of its own. */
export type LinkerAnswer = "opened" | "refused" | "died" | "hung";

/** Gives a file to the dynamic linker with each change in turn. */
export type Linker = (path: string, source: string, changes: readonly Change[]) => LinkerAnswer[];

/** Settings of {@linkcode changedElf}. */
export interface ElfOptions {
  /** Every so-manieth change is made. Default: 1. */
  readonly every?: number;
  /** The first of the changes. Default: 0. */
  readonly first?: number;
  /** The dynamic linker, for files that the inspection lets pass. Default: none. */
  readonly linker?: Linker;
}

/** Changes each byte of the parts that loading reads, in turn, and inspects each file. */
export function changedElf(source: string, folder: string, options: ElfOptions = {}): Row[] {
  const path = `${folder}/changed.so`;
  Deno.copyFileSync(source, path);
  const bytes = Deno.readFileSync(path);
  return elfRanges(new DataView(bytes.buffer)).map((range) => changedRange(range, { source, path, bytes }, options));
}

/** A library and its copy. */
interface Copy {
  readonly source: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

function changedRange({ name, at, size }: Range, copy: Copy, { every = 1, first = 0, linker }: ElfOptions): Row {
  const { source, path, bytes } = copy, places = Array.from({ length: size }, (_, index) => at + index);
  const changes = places.flatMap((place) => changesOf(bytes[place]).map((value) => ({ place, value })))
    .filter((_, index) => index % every === first % every);
  const outcomes = inspected(copy, changes), passed = changes.filter((_, index) => outcomes[index] === "taken");
  const answers = linker?.(path, source, passed) ?? passed.map(() => undefined);
  const counts: Record<string, number> = {}, findings: string[] = [];
  outcomes.forEach((outcome, index) => {
    const isFinding = typeof outcome !== "string", { place, value } = changes[index];
    if (isFinding) findings.push(`byte ${place} is ${value}: ${outcome.finding}`);
    else if (outcome === "refused") count(counts, "refused");
  });
  for (const answer of answers) count(counts, answer ? `passed and ${answer}` : "passed");
  return { kind: "ELF", reader: `${source.split("/").at(-1)}: ${name}`, inputs: changes.length, counts, findings };
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** The outcome of the inspection of each file that differs by one change. */
function inspected({ path, bytes }: Copy, changes: readonly Change[]): ReturnType<typeof tried>[] {
  using file = Deno.openSync(path, { write: true });
  const put = (at: number, value: number) => {
    file.seekSync(at, Deno.SeekMode.Start);
    file.writeSync(new Uint8Array([value]));
  };
  return changes.map(({ place, value }) => {
    put(place, value);
    try {
      return tried(() => inspectElf(path));
    } finally {
      put(place, bytes[place]);
    }
  });
}

const ANSWERS: Readonly<Record<string, LinkerAnswer>> = { o: "opened", r: "refused", d: "died", h: "hung" };

/** The linker of this system: a program that makes each change and opens the file in a child. */
export function systemLinker(program: string): Linker {
  return (path, source, changes) => {
    const lines = changes.map(({ place, value }) => `${place} ${value}\n`).join(""), list = `${path}.changes`;
    Deno.writeTextFileSync(list, lines);
    const { stdout } = new Deno.Command("sh", {
      args: ["-c", 'exec "$1" "$2" "$3" < "$4" 2> /dev/null', "sh", program, path, source, list],
      cwd: path.slice(0, path.lastIndexOf("/")),
    }).outputSync();
    return Array.from(new TextDecoder().decode(stdout), (letter) => ANSWERS[letter] ?? "died");
  };
}
