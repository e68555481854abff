import { EglError } from "../error.ts";
import type { EGLContext, EGLSurface } from "../command/types.ts";
import { GL_COLOR_BUFFER_BIT } from "../gen/gl_constants_gen.ts";
import { type EglRequirement, GUIDE, row, type Rule } from "./requirement.ts";
import type { Session } from "./session.ts";

/** How many contexts are active at once on a phone: 20 to 30 is common. */
const ACTIVE = 24;
/** What part of the memory that is left at first is left when trying ends. */
const KEPT = 0.5;
/** How many bytes may be used where it must not be asked how many there are. */
const ASSUMED = 2 ** 31;
/** How many contexts are made between two looks at the memory. */
const STEP = 16;
const UNLIMITED: Rule = {
  id: "GL2",
  rule: "egl.contexts.unlimited",
  requirement: "There is no limit on contexts: applications in the background keep theirs.",
  source: `${GUIDE}, considerations`,
};
const SPARING: Rule = {
  id: "GL3",
  rule: "egl.contexts.memory",
  requirement: "20 to 30 contexts are active at once: mind the memory of each.",
  source: `${GUIDE}, considerations`,
};

/** GL2 and GL3: as many contexts as there is memory for, and what each takes. `most` is how many are tried. */
export function contextRows(session: Session, most: number): EglRequirement[] {
  try {
    const each = memoryOfEach(session); // before memory was used that would be used again
    return [countRow(session, most), memoryRow(each)];
  } catch (error) {
    if (!(error instanceof EglError)) throw error;
    const advice = "see why no context can be made";
    return [row(UNLIMITED, "fail", error.message, { advice }), row(SPARING, "report", error.message)];
  }
}

function countRow(session: Session, wanted: number): EglRequirement {
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

function countFound(made: number, wanted: number, reason: string): EglRequirement {
  if (reason !== "") {
    const advice = "the driver must not limit contexts by anything but memory";
    return row(UNLIMITED, "fail", `${made} were made, then: ${reason}`, { advice });
  }
  const own = "driver";
  if (made === wanted) return row(UNLIMITED, "pass", `${made} were made at once`, { own });
  const found = `${made} were made at once; there isn't memory enough to try ${wanted}`;
  return row(UNLIMITED, "report", found, { own, advice: "try on a machine with more memory" });
}

function memoryRow(each: number): EglRequirement {
  const found = `${(each / 2 ** 20).toFixed(2)} MiB of this process each, with ${ACTIVE} that have drawn`;
  return row(SPARING, "report", found, { own: "driver" });
}

/** How many bytes this process grows by with each context that has drawn. */
function memoryOfEach(session: Session): number {
  const { egl, display } = session, made: (readonly [EGLContext, EGLSurface])[] = [];
  session.within([2, 0], () => draw(session)); // what the first one brings is not each one's
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

/** Tells, whenever it is called, how many bytes there are still. */
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
