/**
 * A driver that lies about one thing is caught by the rule about that thing:
 * for every rule there is such a driver, or a layer that lies over one.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { checkEgl } from "../../../workbench/check/mod.ts";
import { defineGlesLayer, type GlesLayer } from "../../../egl/mod.ts";
import type { UsableDriver } from "../../../egl/api/options.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { peek32, poke32 } from "../../../ffi/machine.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { needs } from "../../support/require.ts";
import { angle, type TestDriver } from "../drivers.ts";
import { type Lies, lyingDriver } from "../lying_driver.ts";

const onAngle = needs(angle.part, angle.found || undefined);
const EXTENSIONS = 0x3055, VERSION = 0x3054, GL_EXTENSIONS = 0x1f03;

type Hooks = NonNullable<GlesLayer["commands"]>;

/** A lie: what the driver's functions say instead, what a layer on top does, or under which name the driver lies there. */
interface Mutation {
  /** The new status of the rule. */
  readonly becomes: string;
  readonly driver?: () => Lies;
  readonly layer?: Hooks;
  readonly libraries?: readonly string[];
  /** The number of contexts that are tried. */
  readonly contexts?: number;
}

/** Blocks that live as long as a test. */
const texts: NativeBlock[] = [];

/** The address of a text. */
function text(words: string): bigint {
  const block = new NativeBlock(words.length + 1);
  texts.push(block);
  block.bytes.set(cstring(words));
  return block.address;
}

/** A driver whose display lacks an extension. */
function lacking(extension: string): Mutation["driver"] {
  return () => ({
    eglQueryString: ["q:qs", (next, display, name) => {
      const own = next(display, name) as bigint;
      if (name !== EXTENSIONS || own === 0n) return own;
      return text(readCString(own).split(" ").filter((word) => word !== extension).join(" "));
    }],
  });
}

/** A layer that has no configuration with an attribute. */
function noConfiguration(attribute: number): Hooks {
  return {
    eglGetConfigAttrib(next, display, config, name, value) {
      const result = next(display, config, name, value);
      if (name === attribute && value !== 0n) poke32(value, 0);
      return result;
    },
  };
}

/** A driver that makes no contexts of some versions; EGL_CONTEXT_MAJOR_VERSION is 0x3098. */
function withoutVersion(isMissing: (major: number) => boolean): Mutation["driver"] {
  return () => ({
    eglCreateContext: ["q:qqqq", (next, display, config, shared, attributes) => {
      const pairs = readInts(attributes as bigint), at = pairs.indexOf(0x3098);
      const major = at < 0 ? 1 : pairs[at + 1];
      return isMissing(major) ? 0n : next(display, config, shared, attributes);
    }],
  });
}

/** A driver that has no more contexts at once than so many. */
function limited(most: number): Mutation["driver"] {
  let living = 0;
  return () => ({
    eglCreateContext: ["q:qqqq", (next, ...args) => {
      const context = living < most ? next(...args) : 0n;
      if (context !== 0n) living++;
      return context;
    }],
    eglDestroyContext: ["w:qq", (next, ...args) => (living--, next(...args))],
  });
}

const WHITE: Hooks = { glReadPixels: () => {} };
const ANDROID = "/vendor/lib64/egl";

/** The lies that break each rule. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "egl.version.driver": {
    becomes: "fail",
    driver: () => ({
      eglQueryString: ["q:qs", (next, display, name) => name === VERSION ? text("1.2 broken") : next(display, name)],
    }),
  },
  "egl.version.gles1": { becomes: "fail", driver: withoutVersion((major) => major === 1) },
  "egl.version.gles2": { becomes: "fail", driver: withoutVersion((major) => major === 2) },
  "egl.version.gles3": { becomes: "report", driver: withoutVersion((major) => major === 3) },
  "egl.robust.gles-errors": { becomes: "fail", layer: { glGetError: () => 0 } },
  "egl.robust.egl-errors": { becomes: "fail", driver: () => ({ eglGetConfigAttrib: ["w:qqsq", () => 1] }) },
  "egl.robust.context-loss": {
    becomes: "report",
    driver: () => ({
      eglCreateContext: ["q:qqqq", (next, display, config, shared, attributes) => {
        const isAsked = attributes !== 0n && readInts(attributes as bigint).includes(0x31BF);
        return isAsked ? 0n : next(display, config, shared, attributes);
      }],
    }),
  },
  "egl.contexts.unlimited": { becomes: "fail", driver: limited(60), contexts: 100 },
  "egl.contexts.memory": { becomes: "report", driver: heavy },
  "egl.format.YV12": { becomes: "fail", layer: WHITE },
  "egl.format.YCBCR_420_888": { becomes: "fail", layer: WHITE },
  "egl.format.YCBCR_P010": { becomes: "report", layer: WHITE },
  "egl.format.YCBCR_422_I": { becomes: "report", layer: WHITE },
  "egl.extension.EGL_KHR_wait_sync": { becomes: "fail", driver: lacking("EGL_KHR_wait_sync") },
  "egl.extension.EGL_ANDROID_image_native_buffer": { becomes: "fail", driver: lacking("EGL_KHR_gl_texture_2D_image") },
  "egl.extension.EGL_ANDROID_recordable": { becomes: "fail", layer: noConfiguration(0x3142) },
  "egl.extension.EGL_ANDROID_framebuffer_target": { becomes: "fail", layer: noConfiguration(0x3147) },
  "egl.extension.GL_OES_EGL_image_external": {
    becomes: "fail",
    layer: { glGetString: (next, name) => name === GL_EXTENSIONS ? text("GL_OES_EGL_image") : next(name) },
  },
  "egl.extension.EGL_ANDROID_blob_cache": { becomes: "report", driver: lacking("EGL_ANDROID_blob_cache") },
  "egl.extension.EGL_KHR_fence_sync": { becomes: "report", driver: lacking("EGL_KHR_fence_sync") },
  "egl.extension.EGL_ANDROID_native_fence_sync": { becomes: "report", driver: lacking("EGL_KHR_fence_sync") },
  "egl.version.1.5": { becomes: "fail", driver: () => ({ eglCreateSync: undefined }) },
  "egl.files.folder": { becomes: "pass", libraries: [`${ANDROID}/libGLES_x.so`] },
  "egl.files.one-binary": { becomes: "fail", libraries: [`${ANDROID}/x.so`] },
  "egl.files.three-binaries": {
    becomes: "fail",
    libraries: [`${ANDROID}/libEGL_x.so`, `${ANDROID}/libGLESv1_CM_x.so`, `${ANDROID}/libGLESv2_y.so`],
  },
  "egl.layers.offered": {
    becomes: "fail",
    layer: { eglQueryString: (next, display, name) => display === 0n ? text("none") : next(display, name) },
  },
  "egl.layers.intercept": { becomes: "fail", layer: { glGetString: () => 0n } },
};
/** The rules that no driver decides: they say so themselves. */
const BEYOND = ["egl.layers.settings", "egl.layers.off", "egl.layers.property", "egl.cts.gpu-tools"];

function verdictsOf(driver: UsableDriver, { layer, contexts = 8 }: Partial<Mutation> = {}): Map<string, Verdict> {
  const layers = layer ? [defineGlesLayer({ name: "liar", commands: layer })] : [];
  const { verdicts } = checkEgl({ driver, layers, contexts, log: () => {} });
  return new Map(verdicts.map((verdict) => [verdict.rule, verdict]));
}

function mutated(driver: TestDriver, mutation: Mutation): Map<string, Verdict> {
  const own = driver.open(), lying = mutation.driver ? lyingDriver(own, mutation.driver()) : own;
  const { libraries } = mutation;
  return verdictsOf(libraries ? { ...lyingDriver(lying, {}), path: libraries[0], libraries } : lying, mutation);
}

let honest: Map<string, Verdict> | undefined;

for (const [rule, mutation] of Object.entries(MUTATIONS)) {
  Deno.test(`${rule} is another verdict when the driver lies about it`, onAngle, () => {
    honest ??= verdictsOf(angle.open());
    try {
      const before = honest.get(rule)!, after = mutated(angle, mutation).get(rule)!;
      assertEquals(after.status, mutation.becomes, after.found);
      if (before.status === after.status) assertNotEquals(after.found, before.found);
      if (after.status === "fail") assert(after.advice !== "");
    } finally {
      for (const block of texts.splice(0)) block.close();
    }
  });
}

const BROKEN: Readonly<Record<string, Hooks>> = {
  EGL_KHR_fence_sync: { eglClientWaitSyncKHR: () => 0x30F5 },
  EGL_KHR_wait_sync: { eglWaitSyncKHR: () => 0 },
  EGL_ANDROID_native_fence_sync: { eglDupNativeFenceFDANDROID: (next, display) => next(display, 0n) },
};

for (const [extension, layer] of Object.entries(BROKEN)) {
  Deno.test(`egl.extension.${extension} fails when the driver names it, and it does not work`, onAngle, () => {
    const { status, found } = mutated(angle, { becomes: "fail", layer }).get(`egl.extension.${extension}`)!;
    assertEquals(status, "fail");
    assertMatch(found, /^it is named, but does not work: /);
  });
}

Deno.test("each rule of EGL has a lying driver that breaks it, or says that no driver decides it", onAngle, () => {
  honest ??= verdictsOf(angle.open());
  assertEquals([...honest.keys()].sort(), [...Object.keys(MUTATIONS), ...BEYOND].sort());
  for (const rule of BEYOND) assert(["report", "not-applicable"].includes(honest.get(rule)!.status), rule);
});

/** A list of attributes, without EGL_NONE. */
function readInts(address: bigint): number[] {
  const found: number[] = [];
  for (let at = address; at !== 0n && peek32(at) !== 0x3038; at += 4n) found.push(peek32(at));
  return found;
}

/** A driver whose contexts take a lot. */
function heavy(): Lies {
  const blocks: NativeBlock[] = [];
  return {
    eglCreateContext: ["q:qqqq", (next, ...args) => {
      const block = new NativeBlock(8 << 20);
      block.bytes.fill(1);
      blocks.push(block);
      return next(...args);
    }],
    eglDestroyContext: ["w:qq", (next, ...args) => (blocks.pop()?.close(), next(...args))],
  };
}
