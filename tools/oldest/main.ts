/**
 * `deno task test:oldest`: runs the demo and some tests on the oldest Deno that
 * Pumice runs on, which is fetched from npm.
 *
 * Exit status: 0 when all is well; 1 when something failed; without the oldest
 * Deno 0, or 1 with `PUMICE_REQUIRE_ALL=1`.
 *
 * @module
 */
import { isFile } from "../setup/files.ts";
import { fetchPackageFiles } from "../setup/packages/npm_package.ts";
import { withEntry } from "../test/entry.ts";
import { TEST_PRELOAD } from "../test/preload.ts";
import { olderConfig, OLDEST_DENO } from "./oldest.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const FOLDER = `${ROOT}.cache/deno-${OLDEST_DENO}`;
/** Below the root, since the paths in the configuration are relative to the file. */
const CONFIG = `${ROOT}.oldest-${Deno.pid}.json`;
/** The tests that run beside the demo: native calls, callbacks, instances and devices, shaders. */
const TESTS = ["tests/ffi/thunk", "tests/ffi/stubs_test.ts", "tests/loader/api", "tests/wsi/gpu"];

if (import.meta.main) Deno.exit(await main());

async function main(): Promise<number> {
  const deno = await fetchDeno();
  if (deno === undefined) return Deno.env.get("PUMICE_REQUIRE_ALL") === "1" ? 1 : 0;
  Deno.writeTextFileSync(CONFIG, olderConfig(Deno.readTextFileSync(`${ROOT}deno.json`)));
  try {
    const shared = [`--config=${CONFIG}`, "-A", "--no-check", "--import-map=tools/offline_import_map.json"];
    const drawn = run(deno, ["run", ...shared, "examples/demo.ts", "--size=320x180"]);
    const tested = await withEntry(TESTS, (entry) => run(deno, ["test", ...shared, TEST_PRELOAD, entry]));
    return drawn && tested ? 0 : 1;
  } finally {
    Deno.removeSync(CONFIG);
  }
}

/** The program's path; `undefined` if it cannot be had. */
async function fetchDeno(): Promise<string | undefined> {
  const path = `${FOLDER}/deno`;
  try {
    Deno.mkdirSync(FOLDER, { recursive: true });
    if (!isFile(path)) {
      const name = `@deno/linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}-glibc`;
      const [bytes] = await fetchPackageFiles({ name, version: OLDEST_DENO, paths: ["deno"] }, FOLDER);
      Deno.writeFileSync(path, bytes, { mode: 0o755 });
    }
    console.log(`On Deno ${OLDEST_DENO}, the oldest that is supported:`);
    return path;
  } catch (error) {
    console.error(`Cannot try Deno ${OLDEST_DENO}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function run(deno: string, args: string[]): boolean {
  // Downloads from npm are checked against the system's certificates, as newer versions do by default.
  const env = { DENO_TLS_CA_STORE: "system", DENO_NO_UPDATE_CHECK: "1", PUMICE_REQUIRE_ALL: "0" };
  return new Deno.Command(deno, { args, env, cwd: ROOT, stdout: "inherit", stderr: "inherit" }).outputSync().success;
}
