import { dirname, join } from "node:path";
import ts from "typescript";

/** The folder of the declarations, below the package's root. */
export const DECLARED = "types";
/** A statement that is not a declaration yet. Most generated modules have none. */
const STATEMENT = /^(?:export )?(?:default |abstract |async )*(?:const|let|var|function|class|enum)\b/m;
/**
 * A member with a symbol as its name, written as a property, and its comment.
 * The compiler writes such a method twice, because it sees one module alone and
 * does not know the symbols.
 */
const WRITTEN_TWICE = /(?:^ *\/\*\*(?:(?!\*\/)[^])*\*\/\n)?^ *\[Symbol\.\w+\]: \(.*\n/gm;
const SETTINGS: ts.CompilerOptions = {
  declaration: true,
  isolatedDeclarations: true,
  module: ts.ModuleKind.ESNext,
  strict: true,
  target: ts.ScriptTarget.ESNext,
};

/**
 * The declarations of entries, and of every module that a declaration names:
 * texts by their paths below the folder of declarations. Whoever checks a
 * program reads these files alone. The sources name all other modules, too, and
 * take twice as long.
 */
export function declarations(root: string, entries: readonly string[]): Map<string, string> {
  const written = new Map<string, string>(), ahead = entries.map((entry) => join(entry)), unstated: string[] = [];
  for (const path of ahead) {
    const own = declarationPath(path);
    if (written.has(own)) continue;
    const text = declarationOf(root, path, unstated), named = modulesNamedIn(text);
    written.set(own, withDeclarations(text, named));
    ahead.push(...named.map(({ fileName }) => join(dirname(path), fileName)));
  }
  if (unstated.length === 0) return written;
  throw new Error(`Cannot declare types that nobody states; write them:\n${unstated.join("\n")}`);
}

/** The path of a module's declarations: `a.d.ts` for `a.ts`, for `a.js`, and for itself. */
export function declarationPath(path: string): string {
  return path.replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
}

/** The declarations of a module. Those of a module in JavaScript lie beside the module. `unstated` gets types that lack. */
function declarationOf(root: string, path: string, unstated: string[]): string {
  const isSource = path.endsWith(".ts") && !path.endsWith(".d.ts");
  const text = Deno.readTextFileSync(`${root}${isSource ? path : declarationPath(path)}`);
  return isSource && STATEMENT.test(text) ? transpiled(path, text, unstated) : text;
}

function transpiled(fileName: string, text: string, unstated: string[]): string {
  const given = { fileName, reportDiagnostics: true, compilerOptions: SETTINGS };
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, given);
  for (const { file, start = 0, messageText } of diagnostics) {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    unstated.push(`${fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  }
  return outputText.replace(WRITTEN_TWICE, "");
}

/** The modules of the package that a text names. A position is that of the quotation mark. */
function modulesNamedIn(text: string): readonly ts.FileReference[] {
  return ts.preProcessFile(text, true, true).importedFiles.filter(({ fileName }) => fileName.startsWith("."));
}

function withDeclarations(text: string, named: readonly ts.FileReference[]): string {
  let written = "", at = 0;
  for (const { fileName, pos } of named) {
    const start = pos + 1;
    if (!text.startsWith(fileName, start)) throw new Error(`Cannot find "${fileName}" where it is named`);
    written += text.slice(at, start) + declarationPath(fileName);
    at = start + fileName.length;
  }
  return written + text.slice(at);
}
