/** A function of a module, up to its parameters. The bundler writes those of a module at the start of a line. */
const FUNCTION = /^(?:async )?function\*? ([\w$]+)\(/gm;
/** The end of such a function. */
const END = "\n}\n";
/** What no function may contain: left out to see whether the rest is a piece of a program. */
const OF_MODULES = /^(?:import|export)\b[^;]*;$/gm;

/**
 * A bundled file whose functions V8 compiles together with the file, so that
 * Deno's cache of compiled code contains them. V8 compiles other functions at
 * their first call, in each process again, which takes a third of the time to
 * a program's first buffer. V8 compiles a function at once if a parenthesis
 * stands before the function. The functions move to the start of the file,
 * because they can be called before the line where a function stood.
 */
export function compiledAhead(text: string): string {
  let ahead = "", rest = "", at = 0;
  for (const { index, 1: name } of text.matchAll(FUNCTION)) {
    if (index < at || !isProgram(text.slice(at, index))) continue; // in a function, or in a text
    const end = endOf(text, index);
    if (end < 0) continue;
    ahead += `var ${name} = (${text.slice(index, end)});\n`;
    rest += text.slice(at, index);
    at = end;
  }
  return ahead + rest + text.slice(at);
}

/** The end of the function that begins at an index: -1 if there is none. Texts in a function may look like an end. */
function endOf(text: string, start: number): number {
  for (let at = text.indexOf(END, start); at >= 0; at = text.indexOf(END, at + 1)) {
    const end = at + END.length - 1;
    if (isProgram(`(${text.slice(start, end)})`)) return end;
  }
  return -1;
}

/** Whether a piece of a module is whole, and not cut within a function or a text. */
function isProgram(piece: string): boolean {
  const text = piece.replace(OF_MODULES, "").replaceAll("import.meta", "importMeta");
  try {
    new AsyncFunction(`"use strict";\n${text}`);
    return true;
  } catch {
    return false;
  }
}

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
