import { demand, reported } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import { EglError } from "../error.ts";
import type { EGLContext, EGLSurface } from "../command/types.ts";
import { GL_COLOR_BUFFER_BIT } from "../gen/gl_constants_gen.js";
import { type EglRule, GUIDE, ofDriver } from "./requirement.ts";
import type { Session } from "./session.ts";

/** The number of contexts that are active at the same time on a phone: 20 to 30 is common. */
const ACTIVE = 24;
/** The share of the initially free memory that stays free. */
const KEPT = 0.5;
/** The number of bytes to use without permission to read how many are free. */
const ASSUMED = 2 ** 31;
/** The number of contexts between two looks at the free memory. */
const STEP = 16;

/**
 * GL3 and GL2: first the memory of each context, before other memory was used and freed, which contexts would reuse;
 * then as many contexts as memory permits.
 */
export function contextRules(most: number): EglRule[] {
  return [
    {
      id: "GL3",
      rule: "egl.contexts.memory",
      requirement: "20 to 30 contexts are active at once: mind the memory of each.",
      source: `${GUIDE}, considerations`,
      check: orWithout(checkMemory, ({ message }) => reported(message)),
    },
    {
      id: "GL2",
      rule: "egl.contexts.unlimited",
      requirement: "There is no limit on contexts: applications in the background keep theirs.",
      source: `${GUIDE}, considerations`,
      check: orWithout(
        (session) => checkCount(session, most),
        ({ message }) => demand(false, message, "see why no context can be made"),
      ),
    },
  ];
}

/** A check, with an outcome for a driver that creates no context. */
function orWithout(check: EglRule["check"], otherwise: (error: EglError) => Outcome): EglRule["check"] {
  return (session) => {
    try {
      session.within([2, 0], () => draw(session)); // the first context allocates memory that the others share
      return check(session);
    } catch (error) {
      if (!(error instanceof EglError)) throw error;
      return otherwise(error);
    }
  };
}

function checkMemory(session: Session): Outcome {
  const found = `${
    (memoryOfEach(session) / 2 ** 20).toFixed(2)
  } MiB of this process each, with ${ACTIVE} that have drawn`;
  return { status: "report", found, own: "driver" };
}

function checkCount(session: Session, wanted: number): Outcome {
  const contexts: EGLContext[] = [], left = memoryLeft(), least = KEPT * left();
  let reason = "";
  try {
    while (contexts.length < wanted && (contexts.length % STEP > 0 || left() >= least)) {
      contexts.push(session.createContext([2, 0]));
    }
  } catch (error) {
    reason = (error as Error).message;
  }
  for (const context of contexts) session.egl.eglDestroyContext(session.display, context);
  return countFound(contexts.length, wanted, reason);
}

function countFound(made: number, wanted: number, reason: string): Outcome {
  if (reason !== "") {
    const advice = "the driver must not limit contexts by anything but memory";
    return demand(false, `${made} were made, then: ${reason}`, advice);
  }
  if (made === wanted) return ofDriver(`${made} were made at once`);
  const found = `${made} were made at once; there is not enough memory to try ${wanted}`;
  return { status: "report", found, own: "driver", advice: "try on a machine with more memory" };
}

/** The growth of this process for each context that has drawn, in bytes. */
function memoryOfEach(session: Session): number {
  const { egl, display } = session, made: (readonly [EGLContext, EGLSurface])[] = [];
  const before = Deno.memoryUsage().rss;
  try {
    while (made.length < ACTIVE) {
      const pair = [session.createContext([2, 0]), session.createSurface(2)] as const;
      made.push(pair);
      egl.eglMakeCurrent(display, pair[1], pair[1], pair[0]);
      draw(session);
    }
    return Math.max(0, Deno.memoryUsage().rss - before) / ACTIVE;
  } finally {
    egl.eglMakeCurrent(display, 0n, 0n, 0n);
    for (const [context, surface] of made) {
      egl.eglDestroySurface(display, surface);
      egl.eglDestroyContext(display, context);
    }
  }
}

function draw({ egl: { gl } }: Session): void {
  gl.glClear(GL_COLOR_BUFFER_BIT);
  gl.glFinish();
}

/** Returns a function that returns the number of free bytes. */
function memoryLeft(): () => number {
  const before = Deno.memoryUsage().rss;
  return () => {
    try {
      return Deno.systemMemoryInfo().available;
    } catch {
      return ASSUMED - (Deno.memoryUsage().rss - before);
    }
  };
}
