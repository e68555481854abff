/** The place of a call: a module's address, a line and a column. */
export interface Place {
  /** The address of the module. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
}

/** The place of the `depth`th caller of this function's caller; `undefined` if the stack does not contain the place. */
export function callerPlace(depth: number): Place | undefined {
  const frame = new Error().stack?.split("\n")[depth + 2];
  const [, file, line, column] = /(\w+:\/.*?):(\d+):(\d+)\)?$/.exec(frame ?? "") ?? [];
  return file ? { file, line: Number(line), column: Number(column) } : undefined;
}

/**
 * Registers a test as if the call stood at a place. Deno shows the place of the
 * call of `Deno.test` in its list of failures and in JUnit files, which would
 * be a line of this package for every test.
 */
export function testAt(place: Place | undefined, definition: Deno.TestDefinition): void {
  if (!place) return Deno.test(definition);
  const { file, line, column } = place;
  // Deno would take a line of the module's own address for a line of the JavaScript that it made of the module. So the
  // address has another spelling here: its last letter as a percent code.
  const filename = file.replace(/\w$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const code = `(test, definition) =>\n${" ".repeat(column - 1)}test(definition)`;
  const { Script } = globalThis.process.getBuiltinModule("node:vm");
  new Script(code, { filename, lineOffset: line - 2 }).runInThisContext()(Deno.test, definition);
}
