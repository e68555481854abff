import { closest } from "../../../../ffi/check_options.ts";
import { findCommand, resultCodes } from "../../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import { resultCode, resultName } from "../../../error.ts";
import { VK_ERROR_DEVICE_LOST } from "../../../gen/native_gen.ts";

/** A rule for the calls of a command that fail, and their result. */
export interface FaultRule {
  /** The command by its C name, or all commands whose names match and that may return the result. */
  readonly command: string | RegExp;
  /** The result, by number or C name: one of the codes except VK_SUCCESS that the registry allows for the command. */
  readonly result: number | string;
  /** Matching calls that succeed before the first that may fail. Default: 0. */
  readonly after?: number;
  /** The most calls that fail. Default: any number. */
  readonly times?: number;
  /** The probability that a call fails, from 0 to 1. Default: 1. */
  readonly probability?: number;
  /**
   * Whether all later matching calls fail, too, after the first failure,
   * regardless of `times` and `probability`. For VK_ERROR_DEVICE_LOST, and only
   * there, the default is `true`: the device is lost for every command that may
   * say so. With `false`, only the call fails.
   */
  readonly sticky?: boolean;
}

/** A checked rule. */
export interface CheckedRule {
  /** Whether the rule is about this command. */
  readonly matches: (command: string) => boolean;
  /** The result of a failing call. */
  readonly result: number;
  /** Calls that succeed first. */
  readonly after: number;
  /** The most calls that fail. */
  readonly times: number;
  /** The probability, from 0 to 1. */
  readonly probability: number;
  /** Whether the rule continues for ever after the first failure. */
  readonly sticky: boolean;
}

/** Checks a rule. Throws a `TypeError` that says what would be right. */
export function checkRule(rule: FaultRule, index: number): CheckedRule {
  const where = `rules[${index}]`, { after = 0, times = Infinity, probability = 1 } = rule;
  const result = resultOf(rule.result, where);
  for (const [name, value, most] of [["after", after], ["times", times], ["probability", probability, 1]] as const) {
    if (typeof value === "number" && value >= 0 && value <= (most ?? Infinity)) continue;
    throw new TypeError(`${where}.${name} is ${value}; give a number from 0${most ? ` to ${most}` : ""}`);
  }
  const sticky = rule.sticky ?? result === VK_ERROR_DEVICE_LOST;
  return { matches: matcherOf(rule.command, result, where), result, after, times, probability, sticky };
}

function resultOf(given: number | string, where: string): number {
  const result = typeof given === "string" ? resultCode(given) : given;
  if (result !== undefined && Number.isInteger(result)) return result;
  throw new TypeError(`${where}.result is ${given}: there is no such VkResult; check the spelling`);
}

function matcherOf(command: string | RegExp, result: number, where: string): (command: string) => boolean {
  if (typeof command === "string") {
    checkCommand(command, result, where);
    return (name) => name === command;
  }
  const pattern = new RegExp(command.source, command.flags.replace(/[gy]/g, ""));
  const matches = (name: string) => pattern.test(name) && resultCodes(name).includes(result);
  if (["vkCreateInstance", ...`${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ")].some(matches)) return matches;
  throw new TypeError(
    `${where}: no command that matches ${command} may return ${
      resultName(result)
    }; name a command to learn what it may`,
  );
}

function checkCommand(command: string, result: number, where: string): void {
  if (!findCommand(command)) {
    const meant = closest(command, `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" "));
    throw new TypeError(`${where}: there is no Vulkan command ${command}; ${meant ? `is it ${meant}?` : "check it"}`);
  }
  const allowed = resultCodes(command);
  if (allowed.includes(result)) return;
  const list = allowed.map((code) => `${resultName(code)} (${code})`).join(", ") || "none: it cannot fail";
  throw new TypeError(`${where}: ${command} may not return ${resultName(result)} (${result}); it may return ${list}`);
}
