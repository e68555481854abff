import { type Figure, rounded } from "../figure.ts";

/** The figures of one group, of one day. */
export interface MeasuredGroup {
  /** The day, as `2026-11-28`. */
  readonly date: string;
  readonly figures: readonly Figure[];
}

/** Everything that one machine measured: a file of bench/records. */
export interface MachineRecord {
  /** The machine in words: cores, processor, GPU. */
  readonly machine: string;
  /** Names of programs and drivers → their versions. */
  readonly versions: Readonly<Record<string, string>>;
  /** Names of groups → what was measured last. */
  readonly groups: Readonly<Record<string, MeasuredGroup>>;
}

/** The folder with a record for each machine. */
export const RECORDS: URL = new URL("../records/", import.meta.url);

/** Reads the records of all machines, in the order of their files' names. */
export function readRecords(folder: URL = RECORDS): MachineRecord[] {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => JSON.parse(Deno.readTextFileSync(new URL(name, folder))));
}

/** Puts groups into the record of their machine; the machine's other groups stay as they were. Returns the file. */
export function keepRecord(measured: MachineRecord, folder: URL = RECORDS): URL {
  const file = new URL(`${fileName(measured.machine)}.json`, folder);
  const before = readRecords(folder).find(({ machine }) => machine === measured.machine);
  const record = { ...measured, groups: { ...before?.groups, ...measured.groups } };
  Deno.writeTextFileSync(
    file,
    JSON.stringify(record, (_, value) => typeof value === "number" ? rounded(value) : value, 2) + "\n",
  );
  return file;
}

function fileName(machine: string): string {
  return machine.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "");
}
