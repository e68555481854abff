import { checkTypes, type Outcome, runProgram, runTests } from "./subprocess.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Runs a program from the documentation as someone who pasted it would. */
export function runPasted(program: string, env: Record<string, string> = {}): Outcome {
  return pasted(`${ROOT}.cache`, program, (path) => runProgram(path, [], { env }));
}

/** Runs the tests of a program from the documentation, likewise. In the cache Deno looks for no tests. */
export function testPasted(program: string, env: Record<string, string>): Outcome {
  return pasted(ROOT, program, (path) => runTests([path], { env }));
}

/** Checks the types of a program and then runs it with arguments, without types. In the cache Deno checks nothing. */
export function checkAndRunPasted(program: string, args: readonly string[]): { checked: Outcome; ran: Outcome } {
  return pasted(ROOT, program, (path) => ({
    checked: checkTypes(path),
    ran: runProgram(path, args, { flags: ["--no-check"] }),
  }));
}

/** Writes it inside the project, where the project's own name resolves. */
function pasted<Result>(dir: string, program: string, run: (path: string) => Result): Result {
  const folder = Deno.makeTempDirSync({ dir, prefix: ".pasted-" });
  try {
    Deno.writeTextFileSync(`${folder}/program.ts`, program);
    return run(`${folder}/program.ts`.slice(ROOT.length));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Writes a manifest for a driver into a folder, for programs that look for one; returns its path. */
export function manifestIn(folder: string, driver: string): string {
  const path = `${folder}/driver.json`, ICD = { library_path: driver, api_version: "1.3.0" };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", ICD }));
  return path;
}
