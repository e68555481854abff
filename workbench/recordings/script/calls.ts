import { callerParameters, isAsked, type Plan, planOf, resultKey } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import type { Fields, RecordedCall } from "../record/line.ts";
import { handleOutputs } from "../state_tracker/objects.ts";
import { after, type Node } from "./node.ts";
import type { Values } from "./values.ts";
import type { Variables } from "./variables.ts";

/** Writes calls as TypeScript. */
export class Calls {
  readonly #values: Values;
  readonly #variables: Variables;

  constructor(values: Values, variables: Variables) {
    this.#values = values;
    this.#variables = variables;
  }

  /** Writes a call, with a variable for what the call makes. Some arguments may be written already. */
  statement(call: RecordedCall, self?: string, written: Readonly<Record<string, Node>> = {}): Node {
    const plan = planOf(findCommand(call.command)!), outputs = handleOutputs(plan);
    const text = this.call(plan, call, { self, written });
    if (outputs.length === 0 || !call.out) return this.#ended(text);
    const made = outputs.map(({ name }) => [resultKey(name), this.#target(call.out![name])] as const);
    const isAlone = plan.outputs.length === 1 && !plan.returnsResult;
    const target = isAlone ? made[0][1] : `{ ${made.map(([key, name]) => `${key}: ${name}`).join(", ")} }`;
    return this.#ended(after(`const ${target} = `, text));
  }

  /** Writes a call alone. */
  call(
    plan: Plan,
    { command, args }: RecordedCall,
    { self, written = {} }: { readonly self?: string; readonly written?: Readonly<Record<string, Node>> } = {},
  ): Node {
    const own = plan.parameters.find(({ role }) => role === "self")!;
    const given = callerParameters(plan).map((each) => [each, args[each.name]] as const);
    const last = given.findLastIndex(([each, value]) => each.role === "value" || isAsked(plan, each) || isThere(value));
    const nodes = given.slice(0, last + 1).map(([each, value]) => written[each.name] ?? this.#argument(each, value));
    return {
      open: `${self ?? this.#variables.handle(args[own.name])}.${command}(`,
      items: nodes,
      close: ")",
      fills: true,
    };
  }

  /** A value that the recording has not is zero, and a list is empty. */
  #argument(each: ReturnType<typeof callerParameters>[number], value: unknown): Node {
    if (value !== null && value !== undefined) return this.#values.of(each, value);
    if (each.role === "array") return "[]";
    return each.role === "value" && each.kind !== "h" ? "0" : "null";
  }

  #ended(node: Node): Node {
    return typeof node === "string" ? `${node};` : { ...node, close: `${node.close};` };
  }

  #target(names: Fields | string): string {
    if (!Array.isArray(names)) return this.#variables.of(names as string);
    return `[${names.map((name) => this.#variables.of(name)).join(", ")}]`;
  }
}

/** An empty list says as little as none. */
function isThere(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}
