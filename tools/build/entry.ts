import { BUNDLED } from "./bundle.ts";
import { declarationPath, DECLARED } from "./declarations.ts";

/** The folder of the stubs, below the package's root. */
export const STUBS = "exports";

/** A file of the package. */
export interface Stub {
  /** Below the package's root. */
  readonly path: string;
  /** The file's content. */
  readonly text: string;
}

/**
 * The module for a name of the package: types come from the declarations, and
 * code from the bundle. `source` is the text of the entry at `path`.
 */
export function entryStub(name: string, path: string, source: string): Stub {
  const typed = `../${DECLARED}/${declarationPath(path)}`, run = `../${BUNDLED}/${bundledPath(path)}`;
  const isProgram = source.includes("import.meta.main");
  const lines = [
    `// @ts-types="${typed}"`,
    `export * from "${run}";`,
    // A bundle is never the main module: the stub is.
    ...isProgram ? [`// @ts-types="${typed}"`, `import { runProgram } from "${run}";`, "", MAIN] : [],
  ];
  return {
    path: `${STUBS}/${name === "." ? "mod" : name.slice(2)}.ts`,
    text: `${moduleDoc(source)}${lines.join("\n")}\n`,
  };
}

/** The place of a module, below the bundle's folder. */
export function bundledPath(path: string): string {
  return path.replace(/\.ts$/, ".js");
}

const MAIN = "if (import.meta.main) runProgram();";

/** The comment about the module, which documentation shows first. */
function moduleDoc(source: string): string {
  const end = source.indexOf("*/\n") + 3, doc = source.slice(0, end);
  return source.startsWith("/**") && doc.includes("@module") ? doc : "";
}
