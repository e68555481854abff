import { arena } from "../../ffi/arena.ts";
import { generated } from "../../ffi/generated_code.ts";
import * as input from "./input.ts";
import { isGiven, type Method, type MethodParts } from "./method.ts";
import { isCounted, leastOf, type Step } from "./plan.ts";
import { type Command, LETTERS } from "./spec.ts";
import { isWide } from "./memory.ts";

/** The roles that generated code supports; commands with outputs are called rarely enough to be interpreted. */
const SIMPLE = ["value", "array", "data", "text", "count"];

/** The source of a command's address for generated code: the current table and the slot in it. */
export interface AddressSource {
  /** The tables' holder; replaced table, same holder. */
  readonly now: { readonly addresses: readonly bigint[] };
  /** The command's place in the table. */
  readonly slot: number;
}

/** Whether a command's typed form can be generated. */
export function isSimple(command: Command, steps: readonly Step[]): boolean {
  return steps.every(({ role }) => SIMPLE.includes(role)) &&
    ["v", "b", ...Object.keys(LETTERS)].includes(command.result);
}

/**
 * The typed form of a command as generated code: every command then has a call
 * site of its own, which keeps the call on the fast path.
 */
export function generatedMethod(
  command: Command,
  steps: readonly Step[],
  { call, bytes, before }: MethodParts,
  source?: AddressSource,
): Method {
  const names: Record<string, unknown> = {
    $call: call,
    $now: source?.now,
    $number: input.toNumber,
    $boolean: input.toBoolean,
    $bigint: input.toBigInt,
    $array: input.placeNumbers,
    $data: input.placeData,
    $text: input.placeText,
    $count: input.countOf,
    $length: input.lengthOfText,
    $given: input.needArray,
    $need: input.needElements,
    $least: (index: number, values: readonly (number | bigint)[]) => leastOf(steps, steps[index], values),
    $bytes: bytes,
    $guard: before?.guard,
    $what: before?.what,
    $arena: arena(),
  };
  const text = `(${parameters(steps)}) => ${
    body(command, steps, { sized: bytes !== undefined, guarded: before !== undefined }, source?.slot)
  }`;
  return generated(`return ${text};`, names, `egl/${command.name}`) as Method;
}

/** The raw form of a command as code of its own. */
export function generatedRaw(command: Command, call: Method, { now, slot }: AddressSource): Method {
  const text = `return ${rawText(command, `${slot}`)};`;
  return generated(text, { $call: call, $now: now }, `egl/raw/${command.name}`) as Method;
}

/**
 * The text of a raw function. The text names the native function `$call` and
 * the holder of the addresses `$now`; `slot` is the place there.
 */
export function rawText(command: Command, slot: string): string {
  const names = command.params.map((_, index) => `p${index}`);
  const passed = command.params.map(({ code, stars }, index) =>
    stars === 0 ? wrapped(code, names[index]) : names[index]
  );
  return `(${names.join(", ")}) => ${
    finished(command, `$call(${[...passed, `$now.addresses[${slot}]`].join(", ")})`, true)
  }`;
}

function parameters(steps: readonly Step[]): string {
  return steps.flatMap((step, index) => isGiven(step) ? [`p${index}`] : []).join(", ");
}

function body(
  command: Command,
  steps: readonly Step[],
  { sized, guarded }: { sized: boolean; guarded: boolean },
  slot: number | undefined,
): string {
  const address = slot === undefined ? [] : [`$now.addresses[${slot}]`];
  const values = steps.map((step, index) => valueText(step, index, steps));
  if (steps.every(({ role }) => role === "value") && !guarded) {
    return finished(command, `$call(${[...values, ...address].join(", ")})`);
  }
  const places = values.map((value, index) => `const v${index} = ${value};`),
    all = values.map((_, index) => `v${index}`);
  const guard = guarded ? [`if ($guard.check !== undefined) $guard.check([${all.join(", ")}], $what);`] : [];
  const checks = steps.flatMap((step, index) => checkText(step, index, steps, sized));
  const called = `$call(${[...all, ...address].join(", ")})`;
  if (steps.every(({ role }) => role === "value")) {
    return `{ ${[...places, ...guard].join(" ")} return ${finished(command, called)}; }`;
  }
  return `{
  const mark = $arena.mark();
  try {
    ${[...places, ...checks, ...guard].join("\n    ")}
    return ${finished(command, called)};
  } finally {
    $arena.release(mark);
  }
}`;
}

function valueText(step: Step, index: number, steps: readonly Step[]): string {
  const { role, code, name } = step, given = `p${index}`, text = JSON.stringify(name);
  switch (role) {
    case "array":
      return `$array(${given}, ${JSON.stringify(input.elementOf(code))}, ${text})`;
    case "data":
      return `$data(${given}, ${text})`;
    case "text":
      return `$text(${given}, ${text})`;
    case "count": {
      const by = steps.findLastIndex((each) => each.by?.index === index && each.role !== "data"), array = steps[by];
      if (array.role === "text") return `$length(p${by}, ${JSON.stringify(array.name)})`;
      return `$count(p${by}, ${array.by!.factor}, ${JSON.stringify(input.elementOf(array.code))}, ${
        JSON.stringify(array.name)
      })`;
    }
    default:
      return checkedValue(code, given, text);
  }
}

/** Code that converts a value to what the call path takes, as `plainValue()` does, without a call. */
function checkedValue(code: string, given: string, name: string): string {
  if (isWide(code)) {
    return `(typeof ${given} === "bigint" && BigInt.asUintN(64, ${given}) === ${given} ? ${given} : $bigint(${given}, ${name}))`;
  }
  if (code === "b" || code === "B") {
    return `(${given} === true ? 1 : ${given} === false ? 0 : $boolean(${given}, ${name}))`;
  }
  const test = `typeof ${given} === "number"${fitting(code, given)}`;
  return wrapped(code, `(${test} ? ${given} : $number(${given}, ${name}, "${code}"))`);
}

/** The rest of the test for a number that its code leaves unchanged. */
function fitting(code: string, given: string): string {
  if (code === "f" || code === "d") return "";
  if ("yhYH".includes(code)) return ` && ${given} === (${given} & 127)`;
  return ` && ${given} === (${wrapped(code, given)})`;
}

function wrapped(code: string, value: string): string {
  if (LETTERS[code] === "w") return `${value} >>> 0`;
  return LETTERS[code] === "s" ? `${value} | 0` : value;
}

function checkText(
  { role, len, code, name, by }: Step,
  index: number,
  steps: readonly Step[],
  sized: boolean,
): string[] {
  const text = JSON.stringify(name);
  const values = steps.map((_, index) => `v${index}`).join(", ");
  if (role === "array") {
    if (isCounted(steps, steps[index])) return [];
    const least = /^\d+$/.test(len) ? len : `$least(${index}, [${values}])`;
    return [
      `{ const n = ${least}; $given(p${index}, n, ${text}); $need(p${index}, n, ${
        JSON.stringify(input.elementOf(code))
      }, ${text}); }`,
    ];
  }
  if (role !== "data") return [];
  if (by) return [`$need(p${index}, v${by.index} * ${by.factor}, "v", ${text});`.replace(/v(\d+) \*/, "Number(v$1) *")];
  if (!sized) return [];
  return [
    `if (typeof p${index} === "object" && p${index} !== null) $need(p${index}, $bytes([${values}]) ?? 0, "v", ${text});`,
  ];
}

function finished({ result }: Command, called: string, raw = false): string {
  if (result === "b") return raw ? `${called} & 255` : `(${called} & 255) !== 0`;
  return called;
}
