/**
 * Runs tests on AArch64 under qemu-user, setting up what is missing first.
 *
 *     deno task test:arm64 [test files or folders]
 *
 * Without names it runs the tests of `ffi/` three times, on processors with
 * different features, and with 16 KiB pages.
 *
 * @module
 */
import { lastWords, runQuietly } from "../setup/command.ts";
import { firstFile } from "../setup/files.ts";
import { type Arm64, setUpArm64 } from "./setup.ts";

const REPOSITORY = new URL("../../", import.meta.url).pathname;
const FOLDER = `${REPOSITORY}.cache/arm64`;

/** A way to run the emulator. */
interface Machine {
  title: string;
  cpu: string;
  options: string[];
}

const MACHINES: Machine[] = [
  { title: "all features, cheap pointer authentication", cpu: "max,pauth-impdef=on", options: [] },
  { title: "Armv8.0 (Cortex-A53)", cpu: "cortex-a53", options: [] },
];

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(names: string[]): Promise<number> {
  if (Deno.build.arch === "aarch64") return await testHere(names);
  try {
    const arm64 = await setUpArm64(FOLDER, console.log);
    await compileFixtures(arm64);
    let failures = 0;
    for (const machine of names.length > 0 ? MACHINES.slice(0, 1) : MACHINES) {
      console.log(`AArch64 tests: ${machine.title}`);
      failures += await runTests(arm64, machine, names.length > 0 ? names : ["tests/ffi"]);
    }
    return failures === 0 ? 0 : 1;
  } catch (error) {
    console.error(`Cannot run the AArch64 tests: ${error instanceof Error ? error.message : error}`);
    return Deno.env.get("PUMICE_REQUIRE_ALL") === "1" ? 1 : 0;
  }
}

/** On an AArch64 machine there is nothing to emulate. */
async function testHere(names: string[]): Promise<number> {
  const args = ["test", "-P", "--import-map=tools/offline_import_map.json", ...names.length > 0 ? names : ["tests/ffi"]];
  return (await new Deno.Command(Deno.execPath(), { args, cwd: REPOSITORY }).spawn().status).code;
}

/** The tests cannot start a compiler inside the emulator, so it is done for them. */
async function compileFixtures({ compiler }: Arm64): Promise<void> {
  if (!compiler) return console.log("  no C compiler for AArch64: tests that need C counterparts are skipped");
  const folder = `${REPOSITORY}.cache/fixtures/aarch64`;
  Deno.mkdirSync(folder, { recursive: true });
  const source = `${REPOSITORY}tests/fixtures/ffi.c`, output = `${folder}/ffi.so`;
  const include = firstFile([`${FOLDER}/host/usr/aarch64-linux-gnu/include/stdint.h`]);
  const headers = include ? ["-isystem", include.slice(0, include.lastIndexOf("/"))] : [];
  // Not linked with the C library: it is in the process, and a compiler unpacked elsewhere doesn't find it.
  const args = ["-shared", "-fPIC", "-O1", "-nostdlib", ...headers, "-o", output, source];
  const ending = await runQuietly(compiler.path, args, { env: compiler.env });
  if (!ending.success) throw new Error(`the C counterparts don't compile: ${ending.error || lastWords(ending)}`);
}

async function runTests(arm64: Arm64, machine: Machine, names: string[]): Promise<number> {
  const flags = ["--no-check", "--no-prompt", "-A", "--quiet", "--import-map=tools/offline_import_map.json"];
  const args = [...machine.options, "-L", arm64.root, arm64.deno, "test", ...flags, ...names];
  const env: Record<string, string> = {
    QEMU_CPU: machine.cpu,
    DENO_DIR: `${FOLDER}/deno_dir`,
    DENO_NO_UPDATE_CHECK: "1",
    ...arm64.lavapipe ? { PUMICE_LAVAPIPE: arm64.lavapipe } : {},
  };
  const { code } = await new Deno.Command(arm64.qemu, { args, env, cwd: REPOSITORY }).spawn().status;
  return code === 0 ? 0 : 1;
}
