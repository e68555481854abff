import { assemblyOf } from "../assembly.ts";
import { brackets, type Node } from "./node.ts";
import { linesOf } from "./node.ts";
import { wordsIn } from "./numbers.ts";

/** Eight digits, so that the words of a shader stand below each other. */
const DIGITS = 8;

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
  const words = [...wordsIn(code)].map((word) => `0x${word.toString(16).padStart(DIGITS, "0")}`);
  const comment = assemblyOf(code).map((line) => ` * ${line.replaceAll("*/", "* /")}`.trimEnd());
  return [
    "/**",
    ...comment.length > 0 ? comment : [" * A shader in SPIR-V."],
    " */",
    `function ${name}(): Uint32Array {`,
    ...linesOf({
      open: "return new Uint32Array([",
      items: [brackets(words, true)].flatMap((each) => typeof each === "string" ? [each] : each.items),
      close: "]);",
      fills: true,
    }, "  "),
    "}",
  ].join("\n");
}
