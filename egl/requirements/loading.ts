import type { Egl } from "../api/egl.ts";
import { scopeOf } from "../api/scope.ts";
import { words } from "../api/strings.ts";
import { EGL_EXTENSIONS } from "../gen/egl_constants_gen.ts";
import { type EglRequirement, row } from "./requirement.ts";

const FOLDERS = /^.*\/vendor\/lib(64)?\/egl\//;
const LAYERS = "EGL_ANDROID_GLES_layers";

/** GL8 to GL10: where the driver lies and how its files are called. */
export function fileRows(egl: Egl): EglRequirement[] {
  const { path, kind, libraries } = scopeOf(egl).state.driver, own = "driver";
  const onAndroid = FOLDERS.test(path),
    names = libraries.map((each) => each.slice(each.lastIndexOf("/") + 1)).join(", ");
  const place =
    "The driver is in /vendor/lib64/egl or /vendor/lib/egl, found by ro.hardware.egl, ro.board.platform or its name.";
  const one = "A driver of one binary is libGLES_<property>.so or libGLES.so.";
  const three = "A driver of three is libEGL, libGLESv1_CM and libGLESv2, with _<property> or without.";
  if (!onAndroid) {
    const found = `"${path}" was found by the rules of Linux, or named`;
    return [["GL8", place], ["GL9", one], ["GL10", three]].map(([id, text]) =>
      row(id, text, "not-applicable", found, { own })
    );
  }
  const isOne = /\/libGLES(_[^/]+)?\.so$/.test(path), isThree = /\/libEGL(_[^/]+)?\.so$/.test(path);
  const advice = "name the files as Android looks for them";
  const named = (id: string, text: string, mine: boolean, other: boolean) =>
    row(id, text, mine ? "pass" : other ? "not-applicable" : "fail", `${kind}: ${names}`, {
      own,
      advice: mine || other ? "" : advice,
    });
  return [
    row("GL8", place, "pass", path, { own }),
    named("GL9", one, isOne, isThree),
    named("GL10", three, isThree, isOne),
  ];
}

/** What the loader itself does for layers, as far as it cannot be told by asking the driver. */
const OF_THE_LOADER: readonly (readonly [id: string, requirement: string])[] = [
  ["GL12", "Layers are initialized and asked for every known function, and those they intercept lead to them."],
  [
    "GL13",
    "Settings enable layers for an application: enable_gpu_debug_layers, gpu_debug_app, gpu_debug_layers_gles, gpu_debug_layer_app.",
  ],
  ["GL14", "Without those settings there are no layers."],
  ["GL15", "The property debug.gles.layers enables layers for everything."],
];

/** GL11 to GL16: layers are the loader's business, not the driver's. */
export function layerRows(egl: Egl): EglRequirement[] {
  const has = words(egl.eglQueryString(0n, EGL_EXTENSIONS)).includes(LAYERS);
  const requirement = "From Android 10 there are layers for OpenGL ES 2.0 and newer.";
  return [
    row("GL11", requirement, has ? "pass" : "fail", `${has ? "" : "no "}${LAYERS} among the client extensions`, {
      ...has ? { own: "provided" } : { advice: "open the driver with this package's loadEgl()" },
    }),
    ...OF_THE_LOADER.map(([id, text]) =>
      row(id, text, "report", "the loader's part, whatever the driver; its tests bear this number", { own: "provided" })
    ),
    row("GL16", "CtsGpuToolsHostTestCases passes.", "not-applicable", "needs a host and a device with Android", {
      advice: "run it there; its cases are tests of the loader that bear this number",
    }),
  ];
}
