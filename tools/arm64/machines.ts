/**
 * The processors that the emulator stands for, and the tests that run on each.
 *
 * @module
 */
import { testFiles } from "../test/batches.ts";
import { readRecords } from "../test/record.ts";

/** The rooms and files that run by default. */
const DEFAULT = [
  "tests/ffi",
  ...["api", "chain", "emit", "interposers", "terminator", "scripted"].map((name) => `tests/loader/${name}`),
  ...[
    "driver/interface/driver",
    "driver/interface/icd",
    "driver/android/stub_hal",
    "layers/choice/library",
    "layers/chain_layer",
    "layers/validation",
    "layers/define/define_layer",
    "layers/guard/guard",
  ].map((name) => `tests/loader/${name}_test.ts`),
  "tests/workbench/layer_server/library/look_test.ts",
  ...["export", "open"].map((name) => `tests/hwc/hwc2/${name}_test.ts`), // structs by value
];

/** A way to run the emulator. */
export interface Machine {
  title: string;
  cpu: string;
  options: string[];
  /** The rooms and files of the tests to run when none are named. */
  names: string[];
}

/**
 * The test files of a machine. Above `ffi/`, a file whose tests start a Deno of their own is left out, by the record of
 * all tests: permissions, imports, examples and the order of closing are TypeScript's, and an emulated start takes many
 * seconds. In `ffi/` a process of its own is for emitted code that may end the process.
 */
export function filesOf({ names }: Machine): string[] {
  const records = readRecords();
  return testFiles(names).filter((file) => file.startsWith("tests/ffi/") || !(records[file]?.deno > 0));
}

/** The tests that run emitted code. */
const CALLING = [
  "tests/ffi/stubs_test.ts",
  "tests/ffi/machine_test.ts",
  "tests/ffi/thunk",
  "tests/ffi/functions",
];

/** The first runs everything; the others differ in what emitted code could trip over. */
export const MACHINES: Machine[] = [
  { title: "all features, cheap pointer authentication", cpu: "max,pauth-impdef=on", options: [], names: DEFAULT },
  { title: "Armv8.0 (Cortex-A53)", cpu: "cortex-a53", options: [], names: CALLING },
  { title: "16 KiB pages", cpu: "max,pauth-impdef=on", options: ["-p", "16384"], names: ["tests/ffi/stubs_test.ts"] },
];
