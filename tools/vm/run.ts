/**
 * Runs tests in a virtual machine that has graphics cards and binder, setting up
 * what is missing first.
 *
 *     deno task test:vm [test files or folders]
 *
 * @module
 */
import { onPath } from "../setup/files.ts";
import { debianObstacle, installDebian } from "../setup/packages/debian.ts";
import { type Print, withProgress } from "../setup/progress.ts";
import { OptionError, readOptions, runTask } from "../task.ts";
import { testFiles } from "../test/batches.ts";
import { writeEntry } from "../test/entry.ts";
import { TEST_PRELOAD } from "../test/preload.ts";
import { setUpKernel } from "./kernel.ts";
import { runInMachine } from "./machine.ts";

const HELP = `deno task test:vm [--setup] [--only=PART] [--command] [FILE or FOLDER...]

  FILE       a test file, or a folder of them; without any, those that need a card or binder: on_cards and cases of
             tests/hwc/kms, driver and on_kernel of tests/hwc/binder (tests/hwc/kms/on_cards/monitor_test.ts runs only if
             it is named)
  --only     cards or binder: a part of these tests; two machines run both parts sooner than one
  --setup    only fetch and build what is missing
  --command  run these words as a command in the machine instead of tests`;

const REPOSITORY = new URL("../../", import.meta.url).pathname;
const FOLDER = `${REPOSITORY}.cache/vm`;
/** The programs that the machine takes, and Debian's packages with them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "qemu-system-x86_64": "qemu-system-x86",
  busybox: "busybox-static",
  cpio: "cpio",
  make: "make",
  xz: "xz-utils",
  strip: "binutils",
  gcc: "gcc",
};
/** The tests that need a card, and those that need binder. */
export const IN_MACHINE: Readonly<Record<string, readonly string[]>> = {
  cards: ["tests/hwc/kms/cases", "tests/hwc/kms/on_cards"],
  binder: ["tests/hwc/binder/driver", "tests/hwc/binder/on_kernel"],
};
/** Seconds for all tests: the machine is emulated. Some show many more frames if they are asked to. */
const TIMEOUT = 1800, LONG_TIMEOUT = 7200;

if (import.meta.main) await runTask(HELP, main);

async function main(): Promise<number> {
  const flag = { type: "boolean", default: false } as const;
  const options = { setup: flag, command: flag, only: { type: "string" } } as const;
  const { positionals: words, values } = readOptions(HELP, { allowPositionals: true, options });
  const tests = words.length > 0 ? words : partNamed(values.only);
  if (words.length > 0 && values.only) throw new OptionError("Give either --only, or files and folders");
  try {
    const kernel = await setUp(console.log);
    if (values.setup) return 0;
    const out = Deno.makeTempDirSync();
    try {
      const command = values.command ? words : testCommand(out, tests);
      const timeout = Deno.env.get("PUMICE_VM_LONG") === "1" ? LONG_TIMEOUT : TIMEOUT;
      const hasMonitor = words.some((word) => /\bmonitor/.test(word));
      // Shaders that this machine's processor compiled are not for the emulated one, which lacks instructions.
      const env = {
        PUMICE_VM: "1",
        PUMICE_VM_MONITOR: hasMonitor ? "1" : "0",
        MESA_SHADER_CACHE_DIR: "/tmp/mesa",
      };
      return await runInMachine(kernel, command, { cwd: REPOSITORY, out, env, hasMonitor, timeout });
    } finally {
      Deno.removeSync(out, { recursive: true });
    }
  } catch (error) {
    console.error(`Cannot run the tests in a virtual machine: ${error instanceof Error ? error.message : error}`);
    return Deno.env.get("PUMICE_REQUIRE_ALL") === "1" ? 1 : 0;
  }
}

/** The folders of a part; of all without a name. */
function partNamed(name: string | undefined): readonly string[] {
  if (name === undefined) return Object.values(IN_MACHINE).flat();
  if (Object.hasOwn(IN_MACHINE, name)) return IN_MACHINE[name];
  throw new OptionError(`There is no part "${name}": choose among ${Object.keys(IN_MACHINE).join(", ")}`);
}

/** Runs the test files in one process, whose modules are evaluated once. The machine sees `out` as `/out`. */
function testCommand(out: string, names: readonly string[]): string[] {
  writeEntry(out, testFiles(names));
  const flags = ["--no-check", "--no-prompt", "-A", "--quiet", "--import-map=tools/offline_import_map.json"];
  return [Deno.execPath(), "test", ...flags, TEST_PRELOAD, "/out/entry_test.ts"];
}

async function setUp(print: Print) {
  if (Deno.build.arch !== "x86_64") throw new Error("the virtual machine is made on x86-64 alone");
  const missing = Object.entries(PROGRAMS).filter(([program]) => onPath(program) === undefined).map(([, name]) => name);
  if (missing.length > 0) {
    const obstacle = debianObstacle();
    if (obstacle) throw new Error(`${obstacle}: ask an administrator for Debian's ${missing.join(" ")}`);
    await withProgress(`apt: ${missing.join(" ")}`, print, (say) => installDebian(missing, say));
  }
  Deno.mkdirSync(FOLDER, { recursive: true });
  return await setUpKernel(FOLDER, print);
}
