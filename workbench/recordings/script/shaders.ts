import { assemblyOf } from "../compare/spirv.ts";
import { after, before, linesOf, type Node } from "./node.ts";
import { textBytes } from "./numbers.ts";

/** The most lines of assembly in a comment. */
const MOST_LINES = 20;

/** The shaders of a script: functions at its end, each with the assembly that its words stand for. */
export class Shaders {
  readonly #functions: string[] = [];
  readonly #names = new Map<string, string>();

  /** Returns the call that gives a shader's words. */
  of(code: Uint8Array): Node {
    const key = code.toBase64();
    let name = this.#names.get(key);
    if (name === undefined) {
      this.#names.set(key, name = `shader${this.#names.size + 1}`);
      this.#functions.push(functionOf(name, code));
    }
    return `${name}()`;
  }

  /** The functions, in the order of their numbers. */
  get functions(): readonly string[] {
    return this.#functions;
  }
}

function functionOf(name: string, code: Uint8Array): string {
  const comment = commentOf(assemblyOf(code)).map((line) => ` * ${line.replaceAll("*/", "* /")}`.trimEnd());
  return [
    "/**",
    ...comment,
    " */",
    `function ${name}(): Uint32Array {`,
    ...linesOf(before(after("return new Uint32Array(", textBytes(code)), ".buffer);"), "  "),
    "}",
  ].join("\n");
}

/** Returns the comment about a shader: all of a short one, otherwise its interface and its computation. */
function commentOf(assembly: readonly string[]): string[] {
  if (assembly.length === 0) return ["A shader in SPIR-V."];
  const lines = assembly.map((line) => line.trim());
  if (lines.length <= MOST_LINES) return lines;
  const told = lines.filter((line) =>
    /= OpVariable|OpEntryPoint|OpExecutionMode|OpDecorate .* (Binding|Location)/.test(line)
  );
  const code = lines.slice(lines.findIndex((line) => /= OpFunction /.test(line)));
  const shown = [...told.filter((line) => !code.includes(line)), ...code], left = lines.length - shown.length;
  if (shown.length <= MOST_LINES) return [`Without ${left} declarations, spirv-dis writes:`, ...shown];
  return [
    `The first ${MOST_LINES} of ${lines.length} lines that spirv-dis writes, without declarations:`,
    ...shown.slice(0, MOST_LINES),
  ];
}
