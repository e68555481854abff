import { closest } from "./closest.ts";

/** What is wrong with an option's value, as what should be given instead; `undefined` for nothing. */
export type OptionRule = (value: unknown) => string | undefined;

/** A rule for each option there is: what has none is misspelt. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/**
 * Checks what a function was told, before anything of it is used: each option that is given by its rule, by one error
 * that names the function, the option, what was found and what to give.
 *
 * @throws {TypeError} when an option does not fit, or there is none of a name.
 */
export function checkOptions<Options extends object>(
  subject: string,
  options: Options,
  rules: OptionRules<Options>,
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot use ${shown(options)} as the options of ${subject}: give an object`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(rules, name)) throw unknownOption(subject, name, Object.keys(rules));
    const advice = rules[name as keyof Options](value);
    if (advice) throw new TypeError(`Cannot use ${shown(value)} as option "${name}" of ${subject}: give ${advice}`);
  }
}

function unknownOption(subject: string, name: string, known: readonly string[]): TypeError {
  return new TypeError(`Cannot use option "${name}" of ${subject}, for there is none: ${adviceOn(name, known)}`);
}

function adviceOn(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return meant ? `did you mean "${meant}"?` : `there are ${known.join(", ")}`;
}

/** A text with something in it. */
export function text(what: string): OptionRule {
  return (value) => typeof value === "string" && value !== "" && !value.includes("\0") ? undefined : what;
}

/** A value of one of these types. */
export function typed(what: string, ...types: readonly string[]): OptionRule {
  return (value) => types.includes(typeof value) && value !== null ? undefined : what;
}

/** A number. */
export const number: OptionRule = typed("a number", "number");

/** A function; the advice says what it is for. */
export function callback(what: string): OptionRule {
  return typed(`a function that ${what}`, "function");
}

/** One of a few words or numbers. */
export function oneOf(...values: readonly (string | number)[]): OptionRule {
  const names = values.map((value) => JSON.stringify(value)), last = names.pop();
  const advice = names.length === 0 ? last! : `${names.join(", ")} or ${last}`;
  return (value) => values.includes(value as string) ? undefined : advice;
}

/** An object whose members keep to rules of their own; the advice names the first that does not. */
export function members<Options extends object>(what: string, rules: OptionRules<Options>): OptionRule {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return what;
    for (const [name, each] of Object.entries(value)) {
      if (each === undefined) continue;
      if (!Object.hasOwn(rules, name)) {
        return `${what}, in which "${name}" is none; ${adviceOn(name, Object.keys(rules))}`;
      }
      const advice = rules[name as keyof Options](each);
      if (advice) return `${what}, with ${advice} as "${name}", where ${shown(each)} is`;
    }
  };
}

/** An object whose values keep to one rule, whatever their names; the advice names the first that does not. */
export function record(what: string, rule: OptionRule): OptionRule {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return what;
    const wrong = Object.entries(value).find(([, each]) => rule(each) !== undefined);
    return wrong && `${what}: "${wrong[0]}" is ${shown(wrong[1])}`;
  };
}

/** Those of some options that there are rules for, for functions whose own options stand among them. */
export function optionsOf<Options extends object>(options: object, rules: OptionRules<Options>): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(rules, name))) as Options;
}

/** An object of any make. */
export function object(what: string): OptionRule {
  return typed(what, "object", "function");
}

/** Anything at all: what uses the option looks at it itself. */
export const anything: OptionRule = () => undefined;

/** True or false. */
export const yesOrNo: OptionRule = typed("true or false", "boolean");

/** A list whose items each keep to a rule; the advice names the first that does not. */
export function list(what: string, item: OptionRule): OptionRule {
  return (value) => {
    if (!Array.isArray(value)) return what;
    for (const [index, each] of value.entries()) {
      const advice = item(each);
      if (advice) return `${advice} at index ${index}, where ${shown(each)} is`;
    }
  };
}

/** A value that keeps to one of the rules; the advice is the last one's. */
export function either(...rules: readonly OptionRule[]): OptionRule {
  return (value) => {
    let advice: string | undefined;
    for (const rule of rules) if ((advice = rule(value)) === undefined) return undefined;
    return advice;
  };
}

/** A value for an error's sentence. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
