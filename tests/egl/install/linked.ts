import { assert, assertEquals } from "@std/assert";
import { eglLinkStubs } from "../../../egl/mod.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";

/** Links a C program of `tests/fixtures` with the stand-ins for EGL and OpenGL ES, and hands over its path. */
export function withProgram(name: string, use: (path: string) => void): void {
  const source = new URL(`../../fixtures/${name}.c`, import.meta.url).pathname;
  withFolder((folder) => {
    for (const [file, bytes] of eglLinkStubs()) Deno.writeFileSync(`${folder}/${file}`, bytes);
    const path = `${folder}/app.so`, libraries = ["-lEGL", "-lGLESv2", "-lGLESv1_CM"];
    const args = ["-shared", "-fPIC", "-pthread", "-o", path, source, `-L${folder}`, "-Wl,--no-as-needed"];
    assert(new Deno.Command("cc", { args: [...args, ...libraries] }).outputSync().success);
    use(path);
  });
}

/** Runs a program of `programs/` and returns what it printed last. */
export function run(program: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, output } = runProgram(`tests/egl/install/programs/${program}.ts`, args, { env, seconds: 120 });
  assertEquals(code, 0, output);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}
