import { isGiven } from "../../../egl/command/method.ts";
import { planOf, type Step } from "../../../egl/command/plan.ts";
import { type Command, signatureOf } from "../../../egl/command/spec.ts";
import { headerOf } from "./emit_tables.ts";
import { METHODS } from "./lists.ts";
import type { GlRegistry } from "./model.ts";

/** The TypeScript type of each code's values; the other codes are numbers. */
const TYPES: Readonly<Record<string, string>> = {
  e: "GLenum",
  x: "GLbitfield",
  b: "boolean",
  B: "boolean",
  l: "bigint",
  L: "bigint",
  z: "bigint",
  S: "GLsync",
  P: "bigint",
};
const RESERVED = new Set(["function", "in", "string", "var", "default"]);
const FOREIGN: Readonly<Record<string, string>> = { q: "bigint", v: "void" };

/** Writes the interface of an API's typed methods, and that of their raw forms. */
export function emitMethods(registry: GlRegistry, prefix: string): string {
  const methods = registry.commands.map((each) => methodText(each, registry.docs.command(each.name)));
  const code = methods.join("").replace(/^\/\*\*.*$/gm, "");
  const used = [
    ...new Set(
      code.match(/\b(?:GLenum|GLbitfield|GLsync|GlQueried|GlNumbers|GlData|EglAttributes|GlDebugMessage|EGL\w+)\b/g),
    ),
  ];
  const types = used.filter((name) => !registry.commands.some((each) => each.name === name)).sort();
  return [
    headerOf(registry),
    `import type { ${types.join(", ")} } from "../command/types.ts";\n`,
    `/** Every command in its typed form. */\nexport interface ${prefix}Commands {\n${methods.join("")}}\n`,
    `/** Every command in its raw form: C parameters as numbers and bigints. */\nexport interface ${prefix}RawCommands {\n`,
    ...registry.commands.map((each) => `${registry.docs.rawCommand(each.name)}${rawText(each)};\n`),
    "}\n",
  ].join("");
}

function rawText(command: Command): string {
  const [result, , ...letters] = signatureOf(command);
  const params = letters.map((letter, index) => `${safe(command.params[index].name)}: ${FOREIGN[letter] ?? "number"}`);
  return `${command.name}(${params.join(", ")}): ${FOREIGN[result] ?? "number"}`;
}

/** A parameter's name as TypeScript allows it. */
function safe(name: string): string {
  return RESERVED.has(name) ? `${name}_` : name;
}

/** The overloads of a command, each after the comment: editors show that of the overload. */
function methodText(command: Command, doc: string): string {
  const made = METHODS.get(command.name);
  if (made) return made.map((each) => `${doc}${command.name}${each};\n`).join("");
  const steps = planOf(command), given = steps.filter(isGiven);
  const queried = steps.find((step) => step.role === "out" && isQueried(step, steps));
  const generic = queried ? `<Name extends GLenum>` : "";
  const params = given.map((step, index) => parameterText(step, given.slice(index), queried !== undefined));
  return `${doc}${command.name}${generic}(${params.join(", ")}): ${resultText(command, steps)};\n`;
}

/** Whether the queried name determines the number of values. */
function isQueried({ len }: Step, steps: readonly Step[]): boolean {
  return (len[0] === "@" || len === "4") && steps.some(({ name, role }) => name === "pname" && role === "value");
}

function parameterText(step: Step, rest: readonly Step[], queried: boolean): string {
  const { role, code, name } = step, isLast = rest.every((each) => mayBeLeftOut(each));
  if (queried && name === "pname") return `${safe(name)}: Name`;
  return `${safe(name)}${isLast ? "?" : ""}: ${inputType(role, code)}`;
}

function mayBeLeftOut({ role }: Step): boolean {
  return role === "attribs" || role === "outData";
}

function inputType(role: string, code: string): string {
  if (role === "array") return "GlNumbers | null";
  if (role === "data" || role === "outData") return "GlData";
  if (role === "text") return "string";
  if (role === "texts") return "string | readonly string[]";
  if (role === "attribs") return "EglAttributes | null";
  if (code === "b" || code === "B") return "boolean | number";
  const type = typeOf(code);
  return type === "bigint" ? "number | bigint" : type;
}

function typeOf(code: string): string {
  return TYPES[code] ?? (code.length > 1 ? code : "number");
}

function resultText(command: Command, steps: readonly Step[]): string {
  const outputs = steps.filter(({ role }) => ["out", "fill", "outText", "outData"].includes(role))
    .map((step) => [step.name, outputType(step, steps)]);
  const own = ownResult(command);
  if (outputs.length === 0) return own ?? "void";
  if (outputs.length === 1 && own === undefined) return outputs[0][1];
  const all = own === undefined ? outputs : [["result", own], ...outputs];
  return `{ ${all.map(([name, type]) => `${name}: ${type}`).join("; ")} }`;
}

function ownResult({ result }: Command): string | undefined {
  if (result === "v" || result === "B") return undefined;
  if (result === "*c" || result === "*Y") return "string";
  return result[0] === "*" ? "bigint" : typeOf(result);
}

function outputType(step: Step, steps: readonly Step[]): string {
  if (step.role === "outText") return "string";
  if (step.role === "outData") return "ArrayBufferView | undefined";
  const type = step.stars > 1 ? "bigint" : typeOf(step.code);
  if (step.role === "fill" || step.by) return `${type}[]`;
  if (isQueried(step, steps)) return `GlQueried<Name, ${type}>`;
  if (step.len[0] === "@") return `${type} | ${type}[]`;
  return /^\d+$/.test(step.len) && step.len !== "1" ? `${type}[]` : type;
}
