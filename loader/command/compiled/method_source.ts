import { type ArgumentSource, inputSource, type UseCodec } from "./input_source.ts";
import { type OutputSource, outputSource } from "./output_source.ts";
import { callerParameters, isFilled, type Parameter, type Plan, resultKey } from "../plan.ts";

/** Source of a method, and the structs whose codecs it uses. */
export interface MethodSource {
  /** A function expression. Its free names start with `$`; `$call` is the native command. */
  readonly text: string;
  /** Struct names, in the order of the variables `$codec0`, `$codec1`, …. */
  readonly structs: readonly string[];
}

/**
 * Writes the method of a command: places the arguments, makes one native call
 * (two to fill an array), and reads the results.
 */
export function methodSource(plan: Plan): MethodSource {
  const structs: string[] = [];
  const useCodec: UseCodec = (name) => {
    if (!structs.includes(name)) structs.push(name);
    return `$codec${structs.indexOf(name)}`;
  };
  const parts = new Parts(plan, useCodec);
  const body = plan.fill ? fillBody(plan, parts) : plainBody(plan, parts);
  const wrapped = parts.usesArena
    ? `const $top = $arena.mark(); try { ${body} } finally { $arena.release($top); }`
    : body;
  const formals = callerParameters(plan).map((each) => each.variable).join(", ");
  return { text: `function ${plan.command.name}(${formals}) { ${wrapped} }`, structs };
}

/** The per-parameter sources of one command, by the parameter. */
class Parts {
  readonly inputs = new Map<Parameter, ArgumentSource>();
  readonly outputs = new Map<Parameter, OutputSource>();
  readonly usesArena: boolean;

  constructor(plan: Plan, useCodec: UseCodec) {
    for (const each of plan.parameters) {
      if (each.role === "output") this.outputs.set(each, outputSource(plan, each, useCodec));
      else if (each.role !== "fill") this.inputs.set(each, inputSource(plan, each, useCodec));
    }
    const placed = ["struct", "array", "text", "data"];
    this.usesArena = this.outputs.size > 0 || plan.fill !== undefined ||
      plan.parameters.some((each) => placed.includes(each.role));
  }

  before(): string {
    return [...this.inputs.values()].map((each) => each.before).join(" ");
  }

  arguments(plan: Plan): string {
    return plan.parameters.map((each) =>
      each.role === "fill" ? "$count" : (this.inputs.get(each) ?? this.outputs.get(each))!.argument
    ).join(", ");
  }
}

function plainBody(plan: Plan, parts: Parts): string {
  const outputs = [...parts.outputs.values()];
  const room = outputs.map((each) => `${each.declare} ${each.room}`).join(" ");
  const returned = returnSource(plan, parts);
  const keep = plan.command.result === "void" ? "" : "const $r = ";
  return `${parts.before()} ${room} ${keep}${callSource(plan, parts)} ${checkSource(plan)} ${returned}`;
}

/** Queries the count, makes room, and queries again; repeats while the driver reports a larger count. */
function fillBody(plan: Plan, parts: Parts): string {
  const declare = [...parts.outputs.values()].map((each) => each.declare).join(" ");
  const filled = plan.outputs.filter((each) => isFilled(plan, each)).map((each) => parts.outputs.get(each)!);
  const fixed = plan.outputs.filter((each) => !isFilled(plan, each)).map((each) => parts.outputs.get(each)!.room);
  const reset = filled.map((each) => `${each.argument} = 0;`).join(" ");
  const room = filled.map((each) => each.room).join(" ");
  const bytes = plan.fill!.kind === "usize";
  const read = bytes ? "$n = Number($m.getBigUint64($count, true));" : "$n = $m.getUint32($count, true);";
  const call = `${plan.command.result === "void" ? "" : "$r = "}${callSource(plan, parts)} ${
    checkSource(plan)
  } ${read}`;
  return `${parts.before()} ${declare} ${fixed.join(" ")} const $count = $arena.alloc(8); let $r = 0, $n = 0; ` +
    `do { $arena.zero($count, 8); ${reset} ${call} if ($n === 0) break; ${room} ${call} } while ($r === 5); ` +
    returnSource(plan, parts);
}

function callSource(plan: Plan, parts: Parts): string {
  return `$call(${parts.arguments(plan)}, $offset);`;
}

function checkSource(plan: Plan): string {
  const failed = plan.command.result === "VkResult" ? `if ($r < 0) $fail("${plan.command.name}", $r);` : "";
  return `$rethrow(); ${failed}`;
}

function returnSource(plan: Plan, parts: Parts): string {
  const result = plan.command.result === "VkBool32" ? "$r !== 0" : "$r";
  const outputs = plan.outputs.map((each) => ({ key: resultKey(each.name), value: parts.outputs.get(each)!.value }));
  if (outputs.length === 0) return plan.returnsResult ? `return ${result};` : "";
  if (outputs.length === 1 && !plan.returnsResult) return `return ${outputs[0].value};`;
  const members = outputs.map(({ key, value }) => `${key}: ${value}`);
  return `return { ${plan.returnsResult ? `result: ${result}, ` : ""}${members.join(", ")} };`;
}
