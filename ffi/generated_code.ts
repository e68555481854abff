let marks = 0;

/**
 * A comment that makes a text of generated code the only one of its kind. V8
 * compiles equal texts once, and a call site in them that has seen the functions
 * of several uses can foresee none: each call then takes about ten nanoseconds
 * more.
 */
export function ownMark(): string {
  return ` // ${marks++}`;
}

let allowed: boolean | undefined;

/** Whether this runtime lets strings become code (`--disallow-code-generation-from-strings` forbids it). Tried once. */
export function mayGenerate(): boolean {
  if (allowed !== undefined) return allowed;
  try {
    new Function("");
    return allowed = true;
  } catch {
    return allowed = false;
  }
}
