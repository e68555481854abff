import { callback, checkOptions, type OptionRules } from "../../../ffi/check_options.ts";
import { currentSite, stackOf } from "../../../loader/layers/shipped/leaks/site.ts";
import { eglErrorName } from "../../error.ts";
import type { AnyGlesHook, GlesLayer, GlesLayerContext } from "../gles_layer.ts";
import { EGL_SUCCESS } from "../../gen/egl_constants_gen.js";
import {
  GL_CONTEXT_LOST,
  GL_INVALID_ENUM,
  GL_INVALID_FRAMEBUFFER_OPERATION,
  GL_INVALID_OPERATION,
  GL_INVALID_VALUE,
  GL_OUT_OF_MEMORY,
  GL_STACK_OVERFLOW,
  GL_STACK_UNDERFLOW,
} from "../../gen/gl_constants_gen.js";

/** An error that a command caused. */
export interface GlesErrorReport {
  /** The command. */
  readonly command: string;
  /** The result of glGetError() or eglGetError(), such as 0x502. */
  readonly code: number;
  /** The error's name, such as "GL_INVALID_OPERATION". */
  readonly codeName: string;
  /** The raw arguments. */
  readonly args: readonly (number | bigint)[];
  /** The script's call stack, innermost call first; empty for a call from native code. */
  readonly stack: readonly string[];
}

/** A layer that checks for errors. */
export interface GlesErrors {
  /** The layer, for `layers` of `loadEgl` or for `egl.attach`. */
  readonly layer: GlesLayer;
}

/** Settings of {@linkcode glesErrors}. */
export interface GlesErrorsOptions {
  /**
   * Gets each error. An error that `report` throws is thrown by the command. Default: `console.warn` with a sentence
   * and the stack.
   */
  readonly report?: (error: GlesErrorReport) => void;
}

const RULES: OptionRules<GlesErrorsOptions> = {
  report: callback("takes an error"),
};

const MOST = 16;
const NAMES: Readonly<Record<number, string>> = {
  [GL_INVALID_ENUM]: "GL_INVALID_ENUM",
  [GL_INVALID_VALUE]: "GL_INVALID_VALUE",
  [GL_INVALID_OPERATION]: "GL_INVALID_OPERATION",
  [GL_STACK_OVERFLOW]: "GL_STACK_OVERFLOW",
  [GL_STACK_UNDERFLOW]: "GL_STACK_UNDERFLOW",
  [GL_OUT_OF_MEMORY]: "GL_OUT_OF_MEMORY",
  [GL_INVALID_FRAMEBUFFER_OPERATION]: "GL_INVALID_FRAMEBUFFER_OPERATION",
  [GL_CONTEXT_LOST]: "GL_CONTEXT_LOST",
};
/** Commands after which no error may be queried, or that query errors themselves. */
const ASKING = new Set(["glGetError", "eglGetError", "glGetGraphicsResetStatus"]);

/**
 * Creates a layer that checks for an error after each command, and reports the command and the place of the script's
 * call. The application can still query the error.
 *
 * @example
 * ```ts
 * import { glesErrors } from "@pumice/gfx/gles-layers";
 * import { assertEquals } from "@std/assert";
 *
 * const errors = glesErrors({ report: ({ command, codeName }) => console.log(command, codeName) });
 * assertEquals(errors.layer.name, "glesErrors");
 * ```
 */
export function glesErrors(options: GlesErrorsOptions = {}): GlesErrors {
  checkOptions("glesErrors()", options, RULES);
  const { report = warn } = options;
  /** The errors that the application has not queried yet, by context. */
  const gl = new Map<bigint, number[]>();
  let egl = EGL_SUCCESS;
  const told = (command: string, code: number, args: GlesErrorReport["args"]) =>
    report({ command, code, codeName: nameOf(command, code), args, stack: stackOf(currentSite()) });
  const afterGl = (command: string, { below }: GlesLayerContext): AnyGlesHook => (next, ...args) => {
    const result = next(...args), code = below.glGetError();
    if (code === 0) return result;
    const codes = [code, ...code === GL_CONTEXT_LOST ? [] : others(below)], context = below.eglGetCurrentContext();
    gl.set(context, [...new Set([...gl.get(context) ?? [], ...codes])]);
    for (const each of codes) told(command, each, args);
    return result;
  };
  const afterEgl = (command: string, { below }: GlesLayerContext): AnyGlesHook => (next, ...args) => {
    const result = next(...args);
    egl = below.eglGetError();
    if (egl !== EGL_SUCCESS) told(command, egl, args);
    return result;
  };
  const layer: GlesLayer = {
    name: "glesErrors",
    commands: {
      glGetError(next) {
        return gl.get(this.below.eglGetCurrentContext())?.shift() ?? next();
      },
      eglGetError(next) {
        const code = egl;
        egl = EGL_SUCCESS;
        return code === EGL_SUCCESS ? next() : code;
      },
    },
    anyCommand(command, context) {
      if (ASKING.has(command)) return undefined;
      return command.startsWith("egl") ? afterEgl(command, context) : afterGl(command, context);
    },
  };
  return { layer };
}

/** The further errors: a driver may keep several at the same time. */
function others(below: GlesLayerContext["below"]): number[] {
  const codes: number[] = [];
  for (let code = below.glGetError(); code !== 0 && codes.length < MOST; code = below.glGetError()) codes.push(code);
  return codes;
}

function nameOf(command: string, code: number): string {
  return command.startsWith("egl") ? eglErrorName(code) : NAMES[code] ?? `0x${code.toString(16)}`;
}

function warn({ command, codeName, args, stack }: GlesErrorReport): void {
  console.warn([`${command}(${args.join(", ")}) caused ${codeName}`, ...stack].join("\n    at "));
}
