import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { WrongUse } from "../../process/exit_code.ts";
import { atPath, existingModule } from "../../process/files.ts";

/** The names of test files in a folder, as `deno test` has them. */
const TEST_FILE = /(?:^|[._])test\.(?:ts|tsx|mts|js|mjs|jsx)$/;
/** Folders without tests of the project. */
const PASSED_OVER = new Set(["node_modules", ".git"]);

/**
 * The absolute paths of the test files that a command line names, each once: files, and folders for the test files
 * below them. Throws {@linkcode WrongUse} for a path that is not there, and for a folder without test files.
 */
export function testFiles(operands: readonly string[]): string[] {
  if (operands.length === 0) throw new WrongUse("test: FILES is missing: name files with tests, or folders");
  return [...new Set(operands.flatMap((operand) => filesAt(operand)))];
}

/** The address of a file. */
export function toFileUrl(path: string): string {
  return pathToFileURL(path).href;
}

function filesAt(operand: string): string[] {
  const path = resolve(operand);
  const found = atPath(
    "test",
    operand,
    () => Deno.statSync(path).isDirectory ? below(path) : [resolve(existingModule("test", operand))],
  );
  if (found.length > 0) return found;
  throw new WrongUse(`test: "${operand}" has no test files; their names end in _test.ts or .test.ts`);
}

function below(folder: string): string[] {
  return [...Deno.readDirSync(folder)].sort((one, other) => one.name < other.name ? -1 : 1).flatMap((each) => {
    if (each.isDirectory) return PASSED_OVER.has(each.name) ? [] : below(join(folder, each.name));
    return each.isFile && TEST_FILE.test(each.name) ? [join(folder, each.name)] : [];
  });
}
