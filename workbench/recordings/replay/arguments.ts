import { inFrame } from "../../../ffi/arena.ts";
import { argument, placeInputs } from "../../../loader/command/closures/input.ts";
import { callerParameters, type Parameter, type Plan, planOf } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import type { RecordedCall } from "../record/line.ts";
import { type Meaning, parseValue } from "./parse.ts";

/** A parsed recorded call. */
export interface ParsedCall {
  /** The command's name. */
  readonly plan: Plan;
  /** The recorded name of the first argument; `undefined` for the loader itself. */
  readonly self: string | undefined;
  /** Values by parameter. */
  readonly given: Map<string, unknown>;
}

/** Parses a call. Throws a `TypeError` for values that do not fit the command. */
export function parseCall({ command, args }: RecordedCall, meaning: Meaning): ParsedCall {
  const found = findCommand(command);
  if (!found) throw new TypeError("there is no such command");
  const plan = planOf(found), self = plan.parameters.find(({ role }) => role === "self");
  const stranger = Object.keys(args).find((name) => !plan.parameters.some((each) => each.name === name));
  if (stranger !== undefined) throw new TypeError(`there is no parameter ${stranger}`);
  if (self) meaning.handle(self.type, args[self.name]);
  const given = new Map(
    callerParameters(plan).map((each) => [each.name, parseParameter(each, args[each.name], meaning)]),
  );
  return { plan, self: self && args[self.name], given };
}

/** A method takes an array for a pointer to one number; a line has the number. */
function parseParameter(each: Parameter, value: unknown, meaning: Meaning): unknown {
  const parsed = parseValue(each, value, meaning), isPointed = each.role === "array" && each.len === "";
  return isPointed && (typeof parsed === "number" || typeof parsed === "bigint") ? [parsed] : parsed;
}

/** Returns the values as a method takes them. */
export function methodArguments({ plan, given }: ParsedCall): unknown[] {
  return callerParameters(plan).map(({ name }) => given.get(name));
}

/** Encodes all values and frees the memory again. Throws a `TypeError` for values that do not fit. */
export function checkEncoding({ plan, given }: ParsedCall): void {
  const self = { handle: 1n, wrap: () => ({}) };
  const frame = { plan, self, given, places: new Map(), lengths: new Map(), count: 0, filled: 0 };
  inFrame(() => {
    placeInputs(frame);
    for (const each of plan.parameters) if (each.role !== "output" && each.role !== "fill") argument(frame, each);
  });
}
