import { HwcError } from "../hwc_error.ts";

/** An error of a part of the device; the method's name is added where the error leaves the device. */
export class Refusal extends Error {
  /** `hwc2_error_t` */
  readonly code: number;

  /** Makes one with its reason. */
  constructor(code: number, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Ends the call with an error and a sentence. */
export function refuse(code: number, sentence: string): never {
  throw new Refusal(code, sentence);
}

/** The same methods, whose refusals are {@linkcode HwcError}s that name them. */
export function namingErrors<Methods extends object>(methods: Methods): Methods {
  const named = Object.entries(methods).map(([name, method]) => [name, nameErrors(name, method)]);
  return Object.fromEntries(named) as Methods;
}

function nameErrors(name: string, method: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return (...args) => {
    try {
      return method(...args);
    } catch (error) {
      if (error instanceof Refusal) throw new HwcError(name, error.code, error.message);
      throw error;
    }
  };
}
