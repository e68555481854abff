import { basename, dirname } from "node:path";
import { CACHE } from "../../tools/setup/parts.ts";

/** Compiles a C file of tests/fixtures; see {@linkcode compileC}. */
export function compileFixture(name: string, flags: readonly string[] = [], variant = ""): string | undefined {
  return compileC(new URL(`../fixtures/${name}.c`, import.meta.url), flags, variant);
}

/**
 * Compiles a C file to a shared object, unless one that is newer than it and
 * the headers beside it lies in the cache. `variant` tells builds with
 * different flags apart. Returns its path, `undefined` without a compiler.
 */
export function compileC(source: URL, flags: readonly string[] = [], variant = ""): string | undefined {
  return compileTo(source, `${variant && `_${variant}`}.so`, ["-shared", "-fPIC", ...flags]);
}

/** Compiles a C file of tests/fixtures to a program, in the same way. */
export function compileProgram(name: string): string | undefined {
  return compileTo(new URL(`../fixtures/${name}.c`, import.meta.url), "", []);
}

function compileTo(source: URL, suffix: string, flags: readonly string[]): string | undefined {
  const folder = `${CACHE}/fixtures/${Deno.build.arch}`;
  const from = source.pathname, path = `${folder}/${basename(from, ".c")}${suffix}`;
  if ([from, ...headersBeside(from)].every((source) => isNewer(path, source))) return path;
  Deno.mkdirSync(folder, { recursive: true });
  const fresh = `${path}.${Deno.pid}`;
  const args = ["-O2", "-pthread", "-Wno-unused", ...flags, "-o", fresh, from, "-ldl"];
  if (!compiled(args)) return undefined;
  Deno.renameSync(fresh, path); // another test process may have the older one open
  return path;
}

/** What a C file may include. */
function headersBeside(source: string): string[] {
  const folder = dirname(source), names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  return names.filter((name) => name.endsWith(".h")).map((name) => `${folder}/${name}`);
}

function compiled(args: string[]): boolean {
  try {
    return new Deno.Command("cc", { args, stderr: "inherit" }).outputSync().success;
  } catch {
    return false; // no compiler, or no way to start one
  }
}

function isNewer(path: string, source: string): boolean {
  try {
    return Deno.statSync(path).mtime! >= Deno.statSync(source).mtime!;
  } catch {
    return false;
  }
}
