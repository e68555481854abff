import type { AsyncComposer } from "../../../hwc/composer.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { directSubject } from "./direct_subject.ts";
import type { Subject } from "./stage.ts";

type Method = (...args: unknown[]) => unknown;

/** The composer as one that is far away: every answer is a Promise, every callback comes a little later. */
export function promisedSubject(options: ReferenceComposerOptions): Subject {
  const subject = directSubject(options), direct = subject.composer as unknown as Record<string, Method>;
  const late = (name: string): Method => async (...args) => {
    await undefined;
    return direct[name](
      ...args.map((argument) => typeof argument === "function" ? later(argument as Method) : argument),
    );
  };
  const names = Object.keys(direct);
  const composer = Object.fromEntries(names.map((name) => [name, late(name)])) as unknown as AsyncComposer;
  return {
    ...subject,
    composer,
    pass: passingLate(subject),
  };
}

function later(callback: Method): Method {
  return (...args) => void setTimeout(() => callback(...args), 0);
}

/** Lets time pass, and what is told a moment later arrive. */
export function passingLate(subject: Subject): Subject["pass"] {
  return async (nanoseconds) => {
    await subject.pass(nanoseconds);
    await new Promise((done) => setTimeout(done, 0));
  };
}
