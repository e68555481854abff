/**
 * Calls every command of EGL and OpenGL ES of a driver with each bad value in
 * turn, the rest of the arguments being plausible. Prints how many calls were
 * made, and those that threw no TypeError or RangeError of the library's; a line before
 * the first call of each command.
 *
 * @module
 */
import { isGiven } from "../../../../egl/command/method.ts";
import { planOf, type Step } from "../../../../egl/command/plan.ts";
import { parseCommand } from "../../../../egl/command/spec.ts";
import { COMMANDS as EGL_COMMANDS } from "../../../../egl/gen/egl_table_gen.js";
import { COMMANDS as GL_COMMANDS } from "../../../../egl/gen/gl_table_gen.js";
import { openContext } from "../../context.ts";
import { angle, mesa } from "../../drivers.ts";

type Methods = Record<string, (...args: unknown[]) => unknown>;

const STRANGE = ["x", {}, [], () => 1, Symbol("strange"), undefined];
/** Values that are no whole number of 32 bits. */
const NUMBERS = [...STRANGE, NaN, 1.5, Infinity, 2 ** 32, -(2 ** 31) - 1, 2n ** 64n];
const REALS = STRANGE;
/** Values that are no handle, size or address. */
const WIDE = [...STRANGE, NaN, 1.5, 2 ** 60, 2n ** 64n, -(2n ** 63n) - 1n];
const NO_ARRAY = [5, "x", {}, true, () => 1, [undefined], ["x"], [{}]];

function badOf({ role, code }: Step): unknown[] {
  switch (role) {
    case "value":
      return code === "f" || code === "d" ? REALS : "lLzSP".includes(code) || code.startsWith("EGL") ? WIDE : NUMBERS;
    case "array":
      return NO_ARRAY;
    case "data":
      return ["x", {}, true, () => 1, NaN, 1.5, [1, 2]];
    case "text":
      return [5, {}, [], true, () => 1];
    case "texts":
      return [5, {}, true, [5], [undefined], () => 1];
    case "attribs":
      return [5, "x", true, () => 1, [undefined], ["x", 1], [1]];
    default:
      return ["x", {}, true, () => 1, NaN, 1.5];
  }
}

function goodOf({ role, code }: Step): unknown {
  if (role === "value") return code.length > 1 || "lLzSP".includes(code) ? 0n : 0;
  if (role === "text") return "x";
  if (role === "texts") return ["x"];
  if (role === "attribs") return {};
  return role === "array" ? [0, 0, 0, 0] : null;
}

const driver = Deno.args[0] === "mesa" ? mesa : angle;
using opened = openContext(driver, [3, 0]);
const accepted: string[] = [];
let calls = 0;

function call(owner: Methods, line: string): void {
  const command = parseCommand(line), { name } = command, steps = planOf(command).filter(isGiven);
  if (typeof owner[name] !== "function") return;
  console.log(name);
  const good = steps.map(goodOf);
  steps.forEach((step, index) => {
    for (const value of badOf(step)) {
      if (step.name === "callback" && typeof value === "function") continue;
      calls++;
      const outcome = outcomeOf(() => owner[name](...good.with(index, value)));
      if (outcome) accepted.push(`${name} ${step.name} ${Deno.inspect(value)}: ${outcome}`);
    }
  });
}

function outcomeOf(call: () => unknown): string | undefined {
  try {
    call();
    return "no error";
  } catch (error) {
    return isRefusal(error) ? undefined : String(error);
  }
}

/** Whether an error is one of the library's, which names what was found, and none of the engine's. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof TypeError || error instanceof RangeError)) return false;
  return /^Cannot /.test(error.message) &&
    !/^Cannot (?:use 'in'|read prop|convert|mix|destructure)/.test(error.message);
}

for (const line of EGL_COMMANDS.trim().split("\n")) call(opened.egl as unknown as Methods, line);
for (const line of GL_COMMANDS.trim().split("\n")) call(opened.gl as unknown as Methods, line);
console.log(JSON.stringify({ calls, accepted: accepted.slice(0, 20) }));
