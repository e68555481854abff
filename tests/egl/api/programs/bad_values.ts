/**
 * Calls commands of EGL and OpenGL ES with values that plain JavaScript can
 * write. Prints the name of what each call threw.
 *
 * @module
 */
import { openContext } from "../../context.ts";
import { drivers } from "../../drivers.ts";

type Loose = Record<string, (...args: unknown[]) => unknown>;

const driver = drivers.find(({ name }) => name === Deno.args[0])!;
using opened = openContext(driver, [3, 0]);
const { display, config, context, surface } = opened;
const egl = opened.egl as unknown as Loose, gl = opened.gl as unknown as Loose;
const STRANGE = [undefined, NaN, 1.5, "x", {}, [], Symbol("strange"), () => 1, 2n ** 64n];

/** Each is called with a strange value in the place of each handle. */
const CALLS: readonly [command: string, ...args: unknown[]][] = [
  ["eglInitialize", display],
  ["eglMakeCurrent", display, surface, surface, context],
  ["eglSwapBuffers", display, surface],
  ["eglDestroySurface", display, surface],
  ["eglDestroyContext", display, context],
  ["eglQuerySurface", display, surface, 0x3057],
  ["eglQueryContext", display, context, 0x3028],
  ["eglGetConfigAttrib", display, config, 0x3021],
  ["eglCreateContext", display, config, context],
  ["eglCreatePbufferSurface", display, config],
  ["eglCreateSync", display, 0x30F9],
  ["eglQueryString", display, 0x3053],
];
const outcomes = new Map<string, number>();
for (const [name, ...args] of CALLS) {
  args.forEach((_, index) =>
    STRANGE.forEach((value) => note(`${name} ${index}`, () => egl[name](...args.with(index, value))))
  );
}
note("odd attributes", () => egl.eglCreatePbufferSurface(display, config, [0x3057]));
note("no array", () => gl.glTexParameteriv(0x0DE1, 0x2801, null));
opened.egl.eglMakeCurrent(display, surface, surface, context);
console.log(
  JSON.stringify({ current: opened.egl.eglGetCurrentContext() === context, outcomes: Object.fromEntries(outcomes) }),
);

function note(what: string, call: () => unknown): void {
  let outcome = "no error";
  try {
    call();
  } catch (error) {
    outcome = (error as Error).name;
  }
  if (outcome !== "TypeError") outcomes.set(`${what}: ${outcome}`, (outcomes.get(what) ?? 0) + 1);
}
