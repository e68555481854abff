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
 * The module for a name of the package: types come from the source, and code
 * from the bundle. `source` is the text of the entry at `path`.
 */
export function entryStub(name: string, path: string, source: string): Stub {
  const [typed, run] = [path, `./built/${path.slice(2).replace(/\.ts$/, ".js")}`].map((each) => `.${each}`);
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

const MAIN = "if (import.meta.main) runProgram();";

/** The comment about the module, which documentation shows first. */
function moduleDoc(source: string): string {
  const end = source.indexOf("*/\n") + 3, doc = source.slice(0, end);
  return source.startsWith("/**") && doc.includes("@module") ? doc : "";
}
