import type { InjectedFault } from "./fault_injection.ts";
import type { FaultRule } from "./rule.ts";

/** How many calls of a kind are listed by number. */
const MOST_NUMBERS = 10;

/** Formats injected faults: a line for each command, result and rule, in order, and a line for each rule without a fault. */
export function faultsText(injected: readonly InjectedFault[], rules: readonly FaultRule[]): string {
  const kinds = Map.groupBy(injected, ({ command, name, rule, call }) => `${command} ${name} ${rule} ${call === 0}`);
  const lines = [...kinds.values()].map(lineOf);
  const idle = rules.map((_, index) => index).filter((index) => injected.every(({ rule }) => rule !== index));
  const unused = idle.map((index) => `rule ${index} (${rules[index].command}): no call failed`);
  const head = injected.length === 0
    ? "no fault was injected"
    : `${injected.length} ${plural(injected.length, "fault")} injected`;
  return [head, ...lines, ...unused].join("\n");
}

function lineOf(faults: readonly InjectedFault[]): string {
  const [{ command, name, rule, call }] = faults;
  const which = call === 0
    ? `${faults.length} ${plural(faults.length, "call")} after the device was lost`
    : numbersOf(faults);
  return `${command} returned ${name} by rule ${rule}: ${which}`;
}

function numbersOf(faults: readonly InjectedFault[]): string {
  const shown = faults.slice(0, MOST_NUMBERS).map(({ call }) => call).join(", "), more = faults.length - MOST_NUMBERS;
  return `${plural(faults.length, "call")} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
