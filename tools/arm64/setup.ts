/**
 * The parts for running AArch64 code on another machine: qemu-user, an arm64
 * Deno, arm64 libraries with a Vulkan driver, and a C compiler for the
 * counterparts.
 * @module
 */
import { firstFile, isFile, onPath } from "../setup/files.ts";
import { fetchPackageFiles } from "../setup/packages/npm_package.ts";
import { type Print, withProgress } from "../setup/progress.ts";
import { aptObstacle, unpackDebian } from "./apt.ts";

/** The newest arm64 Deno on npm that the emulator has run the tests with. */
const DENO = { name: "@deno/linux-arm64-glibc", version: "2.9.5", paths: ["deno"] };
const LIBRARIES = [
  "libc6:arm64",
  "libstdc++6:arm64",
  "libgcc-s1:arm64",
  "mesa-vulkan-drivers:arm64",
  "libvulkan1:arm64",
  "vulkan-tools:arm64",
];
const COMPILER = "aarch64-linux-gnu-gcc";

/** The emulator's parts, as paths. */
export interface Arm64 {
  /** qemu-user for AArch64. */
  readonly qemu: string;
  /** Deno for AArch64. */
  readonly deno: string;
  /** A Debian root folder with the libraries. */
  readonly root: string;
  /** The Vulkan driver lavapipe among them, if it could be had. */
  readonly lavapipe: string | undefined;
  /** A C compiler for AArch64 and the environment it needs, if it could be had. */
  readonly compiler: { readonly path: string; readonly env: Record<string, string> } | undefined;
}

/** Fetches missing parts into `folder`. Throws an `Error` that says what could not be had and what to do. */
export async function setUpArm64(folder: string, print: Print): Promise<Arm64> {
  Deno.mkdirSync(folder, { recursive: true });
  const missing = missingPackages(folder);
  await Promise.all([
    missing.length === 0 ? undefined : fetchPackages(folder, missing, print),
    isFile(`${folder}/deno`) ? undefined : withProgress("npm: Deno for arm64", print, () => fetchDeno(folder)),
  ]);
  const qemu = findQemu(folder);
  if (!qemu) throw new Error("qemu-user for AArch64 is not there: install qemu-user-static");
  const root = `${folder}/root`;
  if (!isFile(interpreter(folder))) throw new Error("the arm64 C library is not there: libc6:arm64 was not unpacked");
  const lavapipe = firstFile([`${root}/usr/lib/aarch64-linux-gnu/libvulkan_lvp.so`]);
  return { qemu, deno: `${folder}/deno`, root, lavapipe, compiler: findCompiler(folder) };
}

function missingPackages(folder: string): string[] {
  const missing: string[] = [];
  if (!findQemu(folder)) missing.push("qemu-user-static");
  if (!findCompiler(folder)) missing.push("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross");
  const unpacked = `${folder}/root.complete`;
  if (!isFile(unpacked) || Deno.readTextFileSync(unpacked) !== LIBRARIES.join("\n")) missing.push(...LIBRARIES);
  return missing;
}

async function fetchPackages(folder: string, packages: string[], print: Print): Promise<void> {
  const obstacle = aptObstacle();
  if (obstacle) throw new Error(`Cannot fetch ${packages.join(" ")}: ${obstacle}`);
  const scratch = `${folder}/apt`;
  const folders = { amd64: `${folder}/host`, arm64: `${folder}/root` };
  const title = `apt: ${packages.length} packages with all they need, unpacked into .cache`;
  await withProgress(title, print, () => unpackDebian(packages, scratch, folders), packages.join(" "));
  Deno.writeTextFileSync(`${folder}/root.complete`, LIBRARIES.join("\n"));
  Deno.removeSync(scratch, { recursive: true });
}

async function fetchDeno(folder: string): Promise<void> {
  const [bytes] = await fetchPackageFiles(DENO, folder);
  Deno.writeFileSync(`${folder}/deno.new`, bytes, { mode: 0o755 });
  Deno.renameSync(`${folder}/deno.new`, `${folder}/deno`);
}

function findQemu(folder: string): string | undefined {
  const names = ["qemu-aarch64-static", "qemu-aarch64"];
  return names.map(onPath).find(Boolean) ?? firstFile(names.map((name) => `${folder}/host/usr/bin/${name}`));
}

function findCompiler(folder: string): Arm64["compiler"] {
  const installed = onPath(COMPILER);
  if (installed) return { path: installed, env: {} };
  const unpacked = firstFile([`${folder}/host/usr/bin/${COMPILER}`]);
  const libraries = `${folder}/host/usr/lib/x86_64-linux-gnu:${folder}/host/lib/x86_64-linux-gnu`;
  return unpacked ? { path: unpacked, env: { LD_LIBRARY_PATH: libraries } } : undefined;
}

function interpreter(folder: string): string {
  const loader = "ld-linux-aarch64.so.1";
  return firstFile([`${folder}/root/lib/${loader}`, `${folder}/root/usr/lib/${loader}`]) ?? "";
}
