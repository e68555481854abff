import { callback, checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import {
  EGL_BAD_MATCH,
  EGL_CONTEXT_CLIENT_VERSION,
  EGL_CONTEXT_MINOR_VERSION,
  EGL_NONE,
  EGL_SUCCESS,
} from "../gen/egl_constants_gen.js";
import * as egl from "../gen/egl_constants_gen.js";
import * as gl from "../gen/gl_constants_gen.js";
import type { EglInfo, GlesInfo } from "../info/egl_info.ts";
import { type AnyGlesHook, defineGlesLayer, type GlesLayer, type GlesLayerContext } from "../layers/gles_layer.ts";
import { configHooks } from "./config_hooks.ts";
import { limitHooks } from "./limit_hooks.ts";

/** Options of {@linkcode glesDeviceTwin}. */
export interface GlesDeviceTwinOptions {
  /** Gets a sentence for each kind of refusal, once. Default: no messages. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<GlesDeviceTwinOptions> = { log: callback("takes a message") };

/** A layer that makes an EGL driver look like another one, and the refused calls. */
export interface GlesDeviceTwin {
  /** The layer, for `layers` of `loadEgl` or for `attach`. */
  readonly layer: GlesLayer;
  /** Sentences about the refused calls, each once. */
  readonly refused: readonly string[];
}

/** The facts of a twin, in the form that hooks use. */
export interface GlesFacts {
  /** The source. */
  readonly info: EglInfo;
  /** Returns the capabilities of the current context: of the version that the program asked for. */
  context(): GlesInfo | undefined;
  /** The versions that programs asked for, by context. */
  readonly asked: Map<bigint, number>;
  /** The current context; 0n for none. */
  current: bigint;
  /** Notes a refusal with the error that the next glGetError returns; 0 for none. */
  refuse(sentence: string, error?: number): void;
  /** Takes the noted error; 0 if there is none. */
  takeError(): number;
}

/**
 * Makes a layer under which OpenGL ES programs see the driver of a report: its
 * strings, extensions, limits and configurations, as `info --egl --json` prints
 * them. Contexts of versions that the report does not have, and textures beyond
 * its limits, are refused. Configurations that this driver lacks are left out.
 *
 * @throws {TypeError} if the source is no such report.
 *
 * @example
 * ```ts ignore
 * import { glesDeviceTwin } from "@pumice/gfx/gles-layers";
 * import { loadEgl } from "@pumice/gfx/egl";
 *
 * const { layer } = glesDeviceTwin(JSON.parse(Deno.readTextFileSync("phone-egl.json")));
 * using loaded = loadEgl({ layers: [layer] });
 * ```
 */
export function glesDeviceTwin(source: EglInfo, options: GlesDeviceTwinOptions = {}): GlesDeviceTwin {
  checkOptions("glesDeviceTwin()", options, RULES);
  const wrong = wrongIn(source);
  if (wrong !== undefined) {
    throw new TypeError(`Cannot make a twin of EGL: the source has no ${wrong}; give what info --egl --json prints`);
  }
  const refused: string[] = [], facts = factsOf(source, refused, options.log ?? (() => {}));
  const commands: Record<string, AnyGlesHook> = {
    ...stringHooks(facts),
    ...limitHooks(facts),
    ...configHooks(source.configs),
    ...contextHooks(facts),
  };
  return { layer: defineGlesLayer({ name: "gles_twin", commands: commands as GlesLayer["commands"] }), refused };
}

/** Returns the first part of a report that is not there or of another kind; `undefined` if there is none. */
function wrongIn(source: EglInfo): string | undefined {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const areTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");
  const lacking = (value: object, names: readonly string[]) =>
    names.find((name) => typeof (value as Readonly<Record<string, unknown>>)[name] !== "string");
  if (!isObject(source) || !Array.isArray(source.contexts) || source.contexts.length === 0) return "contexts";
  if (!Array.isArray(source.configs) || !source.configs.every(isObject)) return "configs";
  const { shown, contexts } = source;
  if (!isObject(shown) || !areTexts(shown.clientApis) || !areTexts(shown.extensions)) return "shown";
  const ofShown = lacking(shown, ["vendor", "version"]);
  if (ofShown !== undefined) return `shown.${ofShown}`;
  for (const [index, context] of contexts.entries()) {
    const name = `contexts[${index}]`;
    if (!isObject(context) || !isObject(context.limits) || !areTexts(context.extensions)) return name;
    const member = lacking(context, ["version", "vendor", "renderer", "glVersion", "shadingLanguage"]);
    if (member !== undefined) return `${name}.${member}`;
  }
  return undefined;
}

function factsOf(info: EglInfo, refused: string[], log: (message: string) => void): GlesFacts {
  const oldestFirst = [...info.contexts].sort((one, other) => numberOf(one.version) - numberOf(other.version));
  let error = 0;
  return {
    info,
    asked: new Map(),
    current: 0n,
    context() {
      if (this.current === 0n) return undefined;
      const wanted = this.asked.get(this.current) ?? Infinity;
      return oldestFirst.find(({ version }) => numberOf(version) >= wanted) ?? oldestFirst.at(-1);
    },
    refuse(sentence, code = 0) {
      error ||= code;
      const text = `${sentence} (${info.driver})`;
      if (refused.includes(text)) return;
      refused.push(text);
      log(text);
    },
    takeError() {
      const taken = error;
      error = 0;
      return taken;
    },
  };
}

/** The version in a text such as `OpenGL ES 3.2 Mesa`, as 32; 0 for none. */
function numberOf(text: string): number {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) * 10 + Number(minor);
}

/**
 * Keeps the texts of a source in memory: native code may keep the addresses. The memory is the arena, which programs
 * under served layers share.
 */
function texts({ shown, contexts }: EglInfo): (text: string) => bigint {
  const ofContexts = contexts.flatMap((
    context,
  ) => [...STRINGS.map((name) => stringOf(context, name)!), ...context.extensions]);
  const all = new Set([
    shown.vendor,
    shown.version,
    shown.clientApis.join(" "),
    shown.extensions.join(" "),
    ...ofContexts,
  ]);
  const known = new Map(Array.from(all, (text) => [text, arena().place(cstring(text))]));
  return (text) => known.get(text)!;
}

/** The strings of a context. */
const STRINGS = [gl.GL_VENDOR, gl.GL_RENDERER, gl.GL_VERSION, gl.GL_SHADING_LANGUAGE_VERSION, gl.GL_EXTENSIONS];

function stringHooks(facts: GlesFacts): Record<string, AnyGlesHook> {
  const addressOf = texts(facts.info), { shown } = facts.info;
  const strings: Readonly<Record<number, string>> = {
    [egl.EGL_VENDOR]: shown.vendor,
    [egl.EGL_VERSION]: shown.version,
    [egl.EGL_CLIENT_APIS]: shown.clientApis.join(" "),
    [egl.EGL_EXTENSIONS]: shown.extensions.join(" "),
  };
  return {
    eglQueryString: (next, display, name) =>
      display === 0n || !(name in strings) ? next(display, name) : addressOf(strings[name]),
    glGetString(next, name) {
      const own = next(name), context = own === 0n ? undefined : facts.context();
      const text = context && stringOf(context, name);
      return text === undefined ? own : addressOf(text);
    },
    glGetStringi(next, name, index) {
      if (name !== gl.GL_EXTENSIONS) return next(name, index);
      const extension = facts.context()?.extensions[index];
      return extension === undefined ? next(name, 0xffffffff) : addressOf(extension);
    },
  };
}

function stringOf(context: GlesInfo, name: number): string | undefined {
  if (name === gl.GL_VENDOR) return context.vendor;
  if (name === gl.GL_RENDERER) return context.renderer;
  if (name === gl.GL_VERSION) return context.glVersion;
  if (name === gl.GL_SHADING_LANGUAGE_VERSION) return context.shadingLanguage;
  return name === gl.GL_EXTENSIONS ? context.extensions.join(" ") : undefined;
}

/** Refuses contexts of versions that no context of the source has. */
function contextHooks(facts: GlesFacts): Record<string, AnyGlesHook> {
  const most = Math.max(...facts.info.contexts.map(({ glVersion }) => numberOf(glVersion)));
  let error = EGL_SUCCESS as number;
  return {
    eglCreateContext(next, display, config, share, attributes) {
      const wanted = versionIn(this, attributes);
      if (wanted <= most) {
        const context = next(display, config, share, attributes);
        if (context !== 0n) facts.asked.set(context, wanted);
        return context;
      }
      facts.refuse(
        `eglCreateContext returns EGL_BAD_MATCH: OpenGL ES ${most / 10} is the newest version, and ${
          wanted / 10
        } was asked for`,
      );
      error = EGL_BAD_MATCH;
      return 0n;
    },
    eglMakeCurrent(next, display, draw, read, context) {
      const result = next(display, draw, read, context);
      if (result !== 0) facts.current = context;
      return result;
    },
    eglDestroyContext(next, display, context) {
      facts.asked.delete(context);
      return next(display, context);
    },
    eglGetError(next) {
      const own = next(), noted = error;
      error = EGL_SUCCESS;
      return noted === EGL_SUCCESS ? own : noted;
    },
  };
}

/** The most attributes that are read. */
const MOST = 64;

function versionIn({ read }: GlesLayerContext, attributes: bigint): number {
  let major = 1, minor = 0;
  for (let index = 0; attributes !== 0n && index < MOST; index++) {
    const view = new DataView(read(attributes + BigInt(8 * index), 4).buffer), name = view.getInt32(0, true);
    if (name === EGL_NONE) break;
    const value = new DataView(read(attributes + BigInt(8 * index + 4), 4).buffer).getInt32(0, true);
    if (name === EGL_CONTEXT_CLIENT_VERSION) major = value;
    if (name === EGL_CONTEXT_MINOR_VERSION) minor = value;
  }
  return major * 10 + minor;
}
