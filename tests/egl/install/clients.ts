import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";

/** The report of a native program in miniature. */
export interface Report {
  /** 0, or what the program returned. */
  readonly result: number;
  /** The lines that it printed. */
  readonly lines: readonly string[];
  /** The calls that a TypeScript layer saw of the commands it counts. */
  readonly counts: Readonly<Record<string, number>>;
  /** The same on other threads than the loader's. */
  readonly elsewhere: Readonly<Record<string, number>>;
  /** Whether the system's libEGL was in the process. */
  readonly isSystems: boolean;
  /** The loader's sentences. */
  readonly said: readonly string[];
}

/** A run of a program of tests/fixtures. */
export interface ClientRun {
  /** The program's C file. */
  readonly fixture: string;
  /** The program's argument. */
  readonly argument?: string;
  /** More environment variables. */
  readonly env?: Record<string, string>;
}

/** Runs a program on a driver, or with "" on the system's libraries, in a process of its own. */
export function runClient(driver: string, { fixture, argument = "", env }: ClientRun): Report {
  const path = compileFixture(fixture);
  if (!path) throw new Error(`Cannot run ${fixture}.c: it does not compile`);
  const program = "tests/egl/install/programs/native.ts";
  const { code, stdout, output } = runProgram(program, [driver, path, argument], { env, seconds: 90 });
  assertEquals(code, 0, output);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

/** Runs a program on the system's libraries and on Mesa through this loader, which must be one and the same to it. */
export function comparedClient(run: ClientRun): Report {
  return sameReport(runClient("", run), runClient("libEGL_mesa.so.0", run));
}

/** The same on ANGLE as it is, whose libraries the program finds by the system's names, and on ANGLE through this loader. */
export function comparedOnAngle(egl: string, run: ClientRun): Report {
  return withFolder((folder) => {
    const from = egl.slice(0, egl.lastIndexOf("/"));
    for (const { name } of Deno.readDirSync(from)) Deno.symlinkSync(`${from}/${name}`, `${folder}/${name}`);
    for (const [name, file] of [["libEGL.so.1", "libEGL.so"], ["libGLESv2.so.2", "libGLESv2.so"]]) {
      Deno.symlinkSync(`${from}/${file}`, `${folder}/${name}`);
    }
    const alone = runClient("", { ...run, env: { ...run.env, LD_LIBRARY_PATH: folder } });
    return sameReport(alone, runClient(egl, run));
  });
}

function sameReport(wanted: Report, found: Report): Report {
  assertEquals([wanted.result, wanted.lines.length > 0], [0, true], wanted.lines.join("\n"));
  assertEquals(found.lines, wanted.lines);
  assertEquals([found.result, found.said], [0, []]);
  assertEquals(found.isSystems, false);
  return found;
}
