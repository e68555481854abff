/**
 * Runs tests on AArch64 under qemu-user, setting up what is missing first.
 *
 *     deno task test:arm64 [--setup] [test files or folders]
 *
 * Without names it runs the tests of `ffi/`, those of `loader/` that call a
 * driver, and those of hwcomposer2.h with C on the other side, then some again on another processor and with 16 KiB pages.
 * Above `ffi/`, files whose tests start a Deno of their own are left out (`machines.ts`).
 *
 * @module
 */
import { runQuietly } from "../setup/command.ts";
import { readOptions, runTask } from "../task.ts";
import { withEntry } from "../test/entry.ts";
import { TEST_PRELOAD } from "../test/preload.ts";
import { filesOf, type Machine, MACHINES } from "./machines.ts";
import { type Arm64, setUpArm64 } from "./setup.ts";

const HELP = `deno task test:arm64 [--setup] [FILE or FOLDER...]

  FILE     a test file, or a folder of them; without any, all that hold on AArch64, on three processors
  --setup  only fetch what is missing; a test of programs for AArch64 under layers from here needs that, too`;

const REPOSITORY = new URL("../../", import.meta.url).pathname;
const FOLDER = `${REPOSITORY}.cache/arm64`;

if (import.meta.main) await runTask(HELP, main);

async function main(): Promise<number> {
  const options = { setup: { type: "boolean", default: false } } as const;
  const { positionals: names, values } = readOptions(HELP, { allowPositionals: true, options });
  if (Deno.build.arch === "aarch64") return values.setup ? 0 : await testHere(names);
  try {
    const arm64 = await setUpArm64(FOLDER, console.log);
    requireParts(arm64);
    if (values.setup) return 0;
    const tools = makeTools(arm64);
    await shareCaches();
    let failures = 0;
    for (const machine of names.length > 0 ? MACHINES.slice(0, 1) : MACHINES) {
      console.log(`AArch64 tests: ${machine.title}`);
      failures += await runTests(arm64, tools, machine, names.length > 0 ? names : filesOf(machine));
    }
    return failures === 0 ? 0 : 1;
  } catch (error) {
    console.error(`Cannot run the AArch64 tests: ${error instanceof Error ? error.message : error}`);
    return Deno.env.get("PUMICE_REQUIRE_ALL") === "1" ? 1 : 0;
  }
}

/** On an AArch64 machine there is nothing to emulate. */
async function testHere(names: string[]): Promise<number> {
  const flags = ["test", "-P", "--import-map=tools/offline_import_map.json", TEST_PRELOAD];
  return await withEntry(names.length > 0 ? names : filesOf(MACHINES[0]), async (entry) => {
    const child = new Deno.Command(Deno.execPath(), { args: [...flags, entry], cwd: REPOSITORY }).spawn();
    return (await child.status).code;
  });
}

/** `PUMICE_REQUIRE_ALL=1` requires these parts; the other parts that tests may need don't exist for AArch64. */
function requireParts({ compiler, lavapipe }: Arm64): void {
  if (Deno.env.get("PUMICE_REQUIRE_ALL") !== "1") return;
  if (!compiler) throw new Error("there is no C compiler for AArch64; install gcc-aarch64-linux-gnu");
  if (!lavapipe) throw new Error("there is no arm64 lavapipe; remove .cache/arm64/root.complete to fetch it again");
}

/**
 * A folder for `PATH` with a `cc` that compiles for AArch64 and a `deno` that is
 * emulated: what a test starts inside the emulator runs outside of it.
 */
function makeTools({ compiler, qemu, root, deno }: Arm64): string {
  const folder = `${FOLDER}/bin`;
  Deno.mkdirSync(folder, { recursive: true });
  if (!compiler) console.log("  no C compiler for AArch64: tests that need C counterparts are skipped");
  const script = (name: string, text: string) =>
    Deno.writeTextFileSync(`${folder}/${name}`, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  script("cc", compiler ? compilerScript(compiler) : "exit 1");
  script("deno", `exec "${qemu}" -L "${root}" "${deno}" "$@"`);
  return folder;
}

function compilerScript({ path, env }: NonNullable<Arm64["compiler"]>): string {
  const cross = `${FOLDER}/host/usr/aarch64-linux-gnu`;
  // An unpacked compiler finds neither headers nor the C library, which is in the process anyway.
  const unpacked = path.startsWith(FOLDER) ? `-nostdlib -isystem "${cross}/include" -L"${cross}/lib" ` : "";
  // Atomics are written out: the compiler's own library, which has them as functions, is not linked.
  const flags = `-mno-outline-atomics ${unpacked}`;
  const variables = Object.entries(env).map(([name, value]) => `export ${name}="${value}"\n`).join("");
  return `${variables}exec "${path}" ${flags}"$@"`;
}

/** Shares packages and compiled modules with this machine's Deno: an emulated compiler takes long. */
async function shareCaches(): Promise<void> {
  const ending = await runQuietly(Deno.execPath(), ["info", "--json", "--no-config"]);
  const { npmCache, typescriptCache } = ending.success ? JSON.parse(ending.output) : {};
  Deno.mkdirSync(`${FOLDER}/deno_dir`, { recursive: true });
  for (const [name, shared] of Object.entries({ npm: npmCache, gen: typescriptCache })) {
    try {
      if (shared) Deno.symlinkSync(shared, `${FOLDER}/deno_dir/${name}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

async function runTests(arm64: Arm64, tools: string, machine: Machine, names: string[]): Promise<number> {
  const flags = ["--no-check", "--no-prompt", "-A", "--quiet", "--import-map=tools/offline_import_map.json"];
  const args = [...machine.options, "-L", arm64.root, arm64.deno, "test", ...flags, TEST_PRELOAD];
  const env: Record<string, string> = {
    QEMU_CPU: machine.cpu,
    PUMICE_REQUIRE_ALL: "0", // see requireParts()
    PUMICE_DENO: `${tools}/deno`, // what Deno.execPath() names cannot be started from within
    PATH: `${tools}:${Deno.env.get("PATH") ?? ""}`,
    DENO_DIR: `${FOLDER}/deno_dir`,
    MESA_SHADER_CACHE_DIR: `${FOLDER}/mesa`, // an emulated compiler takes long
    DENO_NO_UPDATE_CHECK: "1",
    ...arm64.lavapipe ? { PUMICE_LAVAPIPE: arm64.lavapipe } : {},
  };
  return await withEntry(names, async (entry) => {
    const child = new Deno.Command(arm64.qemu, { args: [...args, entry], env, cwd: REPOSITORY }).spawn();
    return (await child.status).success ? 0 : 1;
  });
}
