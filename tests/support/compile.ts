import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { isFile, onPath } from "../../tools/setup/files.ts";
import { CACHE } from "../../tools/setup/parts.ts";

/** Compiles a C file of tests/fixtures; see {@linkcode compileC}. */
export function compileFixture(name: string, flags: readonly string[] = [], variant = ""): string | undefined {
  return compileC(new URL(`../fixtures/${name}.c`, import.meta.url), flags, variant);
}

/**
 * Compiles a C file to a shared object, unless the cache holds one of the same texts (with the headers beside the
 * file), flags and compiler. `variant` tells builds with different flags apart. Returns its path, `undefined` without a
 * compiler.
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
  const args = ["-O2", "-pthread", "-Wno-unused", "-Werror=dangling-else", ...flags], key = keyOf(from, args);
  if (isFile(path) && textOf(`${path}.key`) === key) return path;
  Deno.mkdirSync(folder, { recursive: true });
  const fresh = `${path}.${Deno.pid}`;
  if (!compiled([...args, "-o", fresh, from, "-ldl"])) return undefined;
  Deno.renameSync(fresh, path); // another test process may have the older one open
  // The key comes last: a process that ends in between leaves a file that is compiled again.
  Deno.writeTextFileSync(`${fresh}.key`, key);
  Deno.renameSync(`${fresh}.key`, `${path}.key`);
  return path;
}

/** Says what a file is compiled from and by which compiler, without the headers of the system. */
function keyOf(source: string, args: readonly string[]): string {
  const compiler = onPath("cc"), identity = compiler === undefined ? "" : identityOf(compiler);
  const hash = createHash("sha256").update([identity, ...args].join("\0"));
  for (const each of [source, ...headersBeside(source)]) hash.update(`\0${each}\0`).update(Deno.readFileSync(each));
  return hash.digest("hex");
}

/** A compiler's file, with its size and time, so that a newer compiler compiles anew. */
export function identityOf(path: string): string {
  const real = Deno.realPathSync(path), { size, mtime } = Deno.statSync(real);
  return `${real} ${size} ${mtime?.getTime()}`;
}

/** Returns the files that a C file may include. */
function headersBeside(source: string): string[] {
  const folder = dirname(source), names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  return names.filter((name) => name.endsWith(".h")).map((name) => `${folder}/${name}`);
}

function compiled(args: string[]): boolean {
  try {
    return new Deno.Command("cc", { args, stderr: "inherit" }).outputSync().success;
  } catch {
    return false; // no compiler, or no way to start one
  }
}

function textOf(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
