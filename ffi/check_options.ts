/** What is wrong with an option's value, as what should be given instead; `undefined` for nothing. */
export type OptionRule = (value: unknown) => string | undefined;

/**
 * Checks what a function was told, before anything of it is used: each option that is given by its rule, by one error
 * that names the function, the option, what was found and what to give.
 *
 * @throws {TypeError} when an option does not fit.
 */
export function checkOptions(subject: string, options: unknown, rules: Readonly<Record<string, OptionRule>>): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot use ${shown(options)} as the options of ${subject}: give an object`);
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[name], advice = value === undefined ? undefined : rule(value);
    if (advice) throw new TypeError(`Cannot use ${shown(value)} as option "${name}" of ${subject}: give ${advice}`);
  }
}

/** A text with something in it. */
export function text(what: string): OptionRule {
  return (value) => typeof value === "string" && value !== "" && !value.includes("\0") ? undefined : what;
}

/** A value of one of these types. */
export function typed(what: string, ...types: readonly string[]): OptionRule {
  return (value) => types.includes(typeof value) && value !== null ? undefined : what;
}

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
