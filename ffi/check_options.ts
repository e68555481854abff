/** A check of an option's value: returns what the caller should give instead, or `undefined` if the value is right. */
export type OptionRule = (value: unknown) => string | undefined;

/** A rule for each option. An option without a rule is misspelt. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/**
 * Checks the options of a function before any of them is used. Each given
 * option is checked by its rule. The error names the function, the option, the
 * value that was found, and what to give. `needed` names the options that have
 * no default.
 *
 * @throws {TypeError} if an option has a wrong value, or a name that does not
 *   exist, or if a needed option is missing.
 */
export function checkOptions<Options extends object>(
  subject: string,
  options: Options,
  rules: OptionRules<Options>,
  needed: readonly (keyof Options & string)[] = [],
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
  for (const name of needed) {
    if (options[name] !== undefined) continue;
    throw new TypeError(`Cannot do without option "${name}" of ${subject}: give ${rules[name](undefined) ?? "it"}`);
  }
}

function unknownOption(subject: string, name: string, known: readonly string[]): TypeError {
  return new TypeError(`Cannot use option "${name}" of ${subject}, for there is none: ${adviceOn(name, known)}`);
}

function adviceOn(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return meant ? `did you mean "${meant}"?` : `there are ${known.join(", ")}`;
}

/** A string that is not empty. */
export function text(what: string): OptionRule {
  return (value) => typeof value === "string" && value !== "" && !value.includes("\0") ? undefined : what;
}

/** A value of one of these types. */
export function typed(what: string, ...types: readonly string[]): OptionRule {
  return (value) => types.includes(typeof value) && value !== null ? undefined : what;
}

/** A number. */
export const number: OptionRule = typed("a number", "number");

/** A function. The advice says what the function is for. */
export function callback(what: string): OptionRule {
  return typed(`a function that ${what}`, "function");
}

/** One of a few words or numbers. */
export function oneOf(...values: readonly (string | number)[]): OptionRule {
  const names = values.map((value) => JSON.stringify(value)), last = names.pop();
  const advice = names.length === 0 ? last! : `${names.join(", ")} or ${last}`;
  return (value) => values.includes(value as string) ? undefined : advice;
}

/** An object with a rule for each member. The advice names the first wrong member. */
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

/** An object with one rule for all values, whatever their names. The advice names the first wrong value. */
export function record(what: string, rule: OptionRule): OptionRule {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return what;
    const wrong = Object.entries(value).find(([, each]) => rule(each) !== undefined);
    return wrong && `${what}: "${wrong[0]}" is ${shown(wrong[1])}`;
  };
}

/** Returns those options that have a rule, for functions whose own options stand among others. */
export function optionsOf<Options extends object>(options: object, rules: OptionRules<Options>): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(rules, name))) as Options;
}

/** Any object. */
export function object(what: string): OptionRule {
  return typed(what, "object", "function");
}

/** Any value. The code that uses the option checks it. */
export const anything: OptionRule = () => undefined;

/** True or false. */
export const yesOrNo: OptionRule = typed("true or false", "boolean");

/** A list with one rule for all items. The advice names the first wrong item. */
export function list(what: string, item: OptionRule): OptionRule {
  return (value) => {
    if (!Array.isArray(value)) return what;
    for (const [index, each] of value.entries()) {
      const advice = item(each);
      if (advice) return `${advice} at index ${index}, where ${shown(each)} is`;
    }
  };
}

/** A value that fits one of the rules. The advice is that of the last rule. */
export function either(...rules: readonly OptionRule[]): OptionRule {
  return (value) => {
    let advice: string | undefined;
    for (const rule of rules) if ((advice = rule(value)) === undefined) return undefined;
    return advice;
  };
}

/** Formats a value for the sentence of an error. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** The fewest letters of a beginning that is taken for the name. */
const LEAST = 3;

/**
 * Returns the name closest to a misspelt one, or a name that begins like it;
 * `undefined` if none is close enough to be meant.
 */
export function closest(wrong: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(wrong.length / 3));
  let best: string | undefined, bestDistance = limit + 1;
  for (const name of names) {
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best ?? names.find((name) => wrong.length >= LEAST && name.toLowerCase().startsWith(wrong.toLowerCase()));
}

/** The Levenshtein distance: how many insertions, deletions and replacements turn one text into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replace = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replace, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}
