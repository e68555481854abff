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

function pasted<Result>(dir: string, program: string, run: (path: string) => Result): Result {
  return allPasted(dir, { "program.ts": program }, (folder) => run(`${folder}/program.ts`));
}

/** Writes programs inside the project, where the project's own name resolves. */
function allPasted<Result>(
  dir: string,
  programs: Readonly<Record<string, string>>,
  run: (folder: string) => Result,
): Result {
  const folder = Deno.makeTempDirSync({ dir, prefix: ".pasted-" });
  try {
    for (const [name, text] of Object.entries(programs)) Deno.writeTextFileSync(`${folder}/${name}`, text);
    return run(folder.slice(ROOT.length));
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
