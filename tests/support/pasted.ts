import { type Outcome, runProgram } from "./subprocess.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Runs a program from the documentation as someone who pasted it would. */
export function runPasted(program: string, env: Record<string, string> = {}): Outcome {
  const folder = Deno.makeTempDirSync({ dir: `${ROOT}.cache` }); // inside the project, where its own name resolves
  try {
    Deno.writeTextFileSync(`${folder}/program.ts`, program);
    return runProgram(`${folder}/program.ts`.slice(ROOT.length), [], { env });
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
