import { demand } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { Egl } from "../api/egl.ts";
import { words } from "../api/strings.ts";
import { EGL_EXTENSIONS } from "../gen/egl_constants_gen.js";
import { GL_VERSION } from "../gen/gl_constants_gen.js";
import { defineGlesLayer } from "../layers/gles_layer.ts";
import type { LayeredEgl } from "../layers/install.ts";
import { type EglRule, LAYER_GUIDE, type Rule } from "./requirement.ts";
import type { Session } from "./session.ts";

const LAYERS = "EGL_ANDROID_GLES_layers", HOST_TEST = "CtsGpuToolsHostTestCases";
/** The loader's own work for layers, which no query of the driver shows. */
const OF_THE_LOADER: readonly Rule[] = [
  {
    id: "GL13",
    rule: "egl.layers.settings",
    requirement:
      "Settings enable layers for an application: enable_gpu_debug_layers, gpu_debug_app, gpu_debug_layers_gles, gpu_debug_layer_app.",
    source: LAYER_GUIDE,
  },
  {
    id: "GL14",
    rule: "egl.layers.off",
    requirement: "Without those settings there are no layers.",
    source: LAYER_GUIDE,
  },
  {
    id: "GL15",
    rule: "egl.layers.property",
    requirement: "The property debug.gles.layers enables layers for everything.",
    source: LAYER_GUIDE,
  },
];

const BY_THE_LOADER: Outcome = {
  status: "report",
  found: "the loader's part, whatever the driver; its tests bear this number",
  own: "provided",
};

/** GL11 to GL16: layers are the loader's task, not the driver's, but they must work with the driver. */
export const LAYER_RULES: readonly EglRule[] = [
  {
    id: "GL11",
    rule: "egl.layers.offered",
    requirement: "From Android 10 there are layers for OpenGL ES 2.0 and newer.",
    source: LAYER_GUIDE,
    check: offered,
  },
  {
    id: "GL12",
    rule: "egl.layers.intercept",
    requirement:
      "Layers are initialized and asked about every known function; calls of the functions that they intercept go to them.",
    source: LAYER_GUIDE,
    check: intercepted,
  },
  ...OF_THE_LOADER.map((rule): EglRule => ({ ...rule, check: () => BY_THE_LOADER })),
  {
    id: "GL16",
    rule: "egl.cts.gpu-tools",
    requirement: `${HOST_TEST} passes.`,
    source: `${LAYER_GUIDE}; CTS ${HOST_TEST}`,
    check: () => ({
      status: "not-applicable",
      found: "needs a host and a device with Android",
      advice: "run it there; its cases are tests of the loader that bear this number",
    }),
  },
];

function offered({ egl }: Session): Outcome {
  const has = words(egl.eglQueryString(0n, EGL_EXTENSIONS)).includes(LAYERS);
  const found = `${has ? "" : "no "}${LAYERS} among the client extensions`;
  return demand(has, found, "open the driver with this package's loadEgl()", has ? "provided" : undefined);
}

/** Attaches a layer during a call that the layer must see, and that must return the driver's result through it. */
function intercepted(session: Session): Outcome {
  const { egl } = session;
  if (!isLayered(egl)) return { status: "report", found: "this loader was opened without layers", own: "provided" };
  let seen = 0, answer = 0n;
  const probe = defineGlesLayer({
    name: "pumice.requirement.GL12",
    commands: { glGetString: (next, name) => (seen++, answer = BigInt(next(name))) },
  });
  try {
    const said = session.within([2, 0], () => through(egl, probe));
    if (seen === 1 && answer !== 0n && said !== "") {
      return { status: "pass", found: `a layer saw glGetString() go by, and "${said}" come back`, own: "provided" };
    }
    const found = seen === 0 ? "a layer did not see glGetString()" : "a layer got no answer from below";
    return demand(false, found, "look at what lies between the loader and the driver");
  } catch (error) {
    return demand(false, (error as Error).message, "see why no context can be made");
  }
}

function through(egl: LayeredEgl, layer: Parameters<LayeredEgl["attach"]>[0]): string {
  egl.attach(layer);
  try {
    return egl.gl.glGetString(GL_VERSION);
  } finally {
    egl.detach(layer);
  }
}

function isLayered(egl: Egl): egl is LayeredEgl {
  return "attach" in egl;
}
