/**
 * Every public function that takes options refuses what there is none of, by
 * the one error of all: which are public is asked of the documentation.
 *
 * @module
 */
import { assertEquals, assertMatch } from "@std/assert";
import * as compare from "../../workbench/recordings/mod.ts";
import * as check from "../../workbench/check/mod.ts";
import * as glesLayers from "../../workbench/gles_layers.ts";
import * as egl from "../../egl/mod.ts";
import * as ffi from "../../ffi/mod.ts";
import * as hwc from "../../hwc/mod.ts";
import * as drivers from "../../loader/drivers.ts";
import * as fuzz from "../../workbench/programs/mod.ts";
import * as layers from "../../workbench/layers.ts";
import { makeContext } from "../../workbench/runs/testing/context.ts";
import { openGpu } from "../../wsi/gpu/open_gpu.ts";
import * as testing from "../../workbench/runs/testing/mod.ts";
import * as wsi from "../../mod.ts";
import { perfettoTrace } from "../../workbench/timeline/mod.ts";
import { vkjson } from "../../loader/vkjson.ts";
import { takersOfOptions } from "./options_in_docs.ts";

/** An object that is no options: its name is close to none that there is. */
const NONE = { nonsense: 1 } as never;
const NOTHING = {} as never;

/** A method called on nothing: it must look at its options before it looks at itself. */
function unbound(type: { readonly prototype: object }, method: string): () => unknown {
  return () => (type.prototype as Record<string, (options: never) => unknown>)[method].call({}, NONE);
}

const context = () => makeContext({ device: {} } as never, NOTHING, "test");

function composing(use: (backend: hwc.CompositionBackend) => unknown): () => unknown {
  return () => {
    using backend = hwc.createTsBackend();
    return use(backend);
  };
}

/** A call of each. */
const CALLS: Readonly<Record<string, () => unknown>> = {
  "BufferProducer.connect": () => new wsi.BufferQueue().producer.connect(1, NONE),
  "CompositionBackend.can": composing((backend) => backend.can(NOTHING, NOTHING, NONE)),
  "CompositionBackend.compose": composing((backend) => backend.compose(NOTHING, [], NONE)),
  "GpuTools.compute": () => context().compute(NONE),
  "GpuTools.draw": () => context().draw(NONE),
  "GpuTestContext.golden": () => context().golden(NOTHING, NONE),
  "GpuTools.image": () => context().image(NONE),
  "GpuTools.sampler": () => context().sampler(NONE),
  arbitraryProgram: () => fuzz.arbitraryProgram(NOTHING, NOTHING, NONE),
  generateProgram: () => fuzz.generateProgram(NOTHING, NONE),
  compareDrivers: () => compare.compareDrivers("none.jsonl", [{ driver: "auto" }, { driver: "auto" }], NONE),
  findingPage: () => compare.findingPage(NOTHING, NONE),
  reduceRecording: () =>
    compare.reduceRecording("none.jsonl", [{ driver: "auto" }, { driver: "auto" }], "out.jsonl", NONE),
  openRecording: () => compare.openRecording("none.jsonl", NONE),
  verifyRecording: () => compare.verifyRecording({}, "none.jsonl", NONE),
  trimRecording: () => compare.trimRecording({}, "none.jsonl", NONE),
  serveGlesLayers: () => glesLayers.serveGlesLayers(NONE),
  serveLayers: () => layers.serveLayers(NONE),
  "DeviceLimits.set": () => layers.deviceLimits({}).set(NONE),
  "ReferenceControls.plug": () => {
    using composer = hwc.createReferenceComposer();
    composer.plug(NONE);
  },
  "SurfaceFlinger.createLayer": unbound(hwc.SurfaceFlinger, "createLayer"),
  "SurfaceFlinger.createVirtualDisplay": unbound(hwc.SurfaceFlinger, "createVirtualDisplay"),
  "Transaction.set": () => new hwc.Transaction(() => () => {}, () => {}).set(NOTHING, NONE),
  "WebViewer.window": unbound(wsi.WebViewer, "window"),
  androidWindow: () => wsi.androidWindow(0n, NONE),
  androidWsi: () => wsi.androidWsi(NONE),
  apiTrace: () => layers.apiTrace(NONE),
  checkComposer: () => check.checkComposer(NOTHING, NONE),
  checkEgl: () => check.checkEgl(NONE),
  checkVulkan: () => check.checkVulkan(NONE),
  composerInfo: () => hwc.composerInfo(NOTHING, NONE),
  composerViewer: () => hwc.composerViewer(NONE),
  configureImage: () => ffi.configureImage(NONE),
  connectComposer: () => hwc.connectComposer("/none", NONE),
  createKmsComposer: () => hwc.createKmsComposer(NONE),
  openCard: () => hwc.openCard(NONE),
  convertPixels: () => wsi.convertPixels(NOTHING, NONE),
  createDebugMessenger: () => wsi.createDebugMessenger(undefined, () => {}, NONE),
  createEglBackend: () => hwc.createEglBackend(NOTHING, NONE),
  createReferenceComposer: () => hwc.createReferenceComposer(NONE),
  createThreadedBackend: () => hwc.createThreadedBackend(NONE),
  createThunk: () => ffi.createThunk("v:", () => {}, NONE),
  createVulkanBackend: () => hwc.createVulkanBackend(NOTHING, NONE),
  defineDriver: () => drivers.defineDriver(NONE),
  defineGlesLayer: () => egl.defineGlesLayer(NONE),
  defineLayer: () => wsi.defineLayer(NONE),
  describeEgl: () => check.describeEgl(NONE),
  eglRequirements: () => check.eglRequirements(NOTHING, NONE),
  faultInjection: () => layers.faultInjection(NONE),
  fetchLibrary: () => ffi.fetchLibrary("https://example.com", NONE),
  findEglDriver: () => egl.findEglDriver(NONE),
  callbackConsumer: () => wsi.callbackConsumer(() => {}, NONE),
  glesApiTrace: () => glesLayers.glesApiTrace(NONE),
  glesErrors: () => glesLayers.glesErrors(NONE),
  glesDeviceTwin: () => glesLayers.glesDeviceTwin({ contexts: [], configs: [] } as never, NONE),
  gpuTest: () => testing.gpuTest("none", NONE, () => {}),
  deviceLimits: () => layers.deviceLimits(NONE),
  deviceTwin: () => layers.deviceTwin("VP_ANDROID_15_minimums", NONE),
  loadEgl: () => egl.loadEgl(NONE),
  loadVulkan: () => wsi.loadVulkan(NONE),
  nativeBufferAdaptor: () => wsi.nativeBufferAdaptor(NONE),
  "new BufferQueue": () => new wsi.BufferQueue(NONE),
  "new CallbackConsumer": () => new wsi.CallbackConsumer(() => {}, NONE),
  "new ComposerViewer": () => new hwc.ComposerViewer(NONE),
  "new FrameWatch": () => new hwc.FrameWatch(NONE),
  "new NativeWindow": () => new wsi.NativeWindow(NONE),
  "new PngConsumer": () => new wsi.PngConsumer(NONE),
  "new CallRing": () => new ffi.CallRing(NONE),
  "new SurfaceFlinger": () => new hwc.SurfaceFlinger({ composer: {}, ...NONE as object } as never),
  "new VideoConsumer": () => new wsi.VideoConsumer(NONE),
  "new WebViewer": () => new wsi.WebViewer(NONE),
  "new X11Window": () => new wsi.X11Window(NONE),
  objectLeaks: () => layers.objectLeaks(NONE),
  openBlobCache: () => egl.openBlobCache(NONE),
  openGpu: () => openGpu(NONE),
  openHwc2: () => hwc.openHwc2("none", NONE),
  perfettoTrace: () => perfettoTrace(NONE),
  pngConsumer: () => wsi.pngConsumer(NONE),
  apiProfile: () => layers.apiProfile(NONE),
  readRecording: () => layers.readRecording("none", NONE),
  apiRecording: () => layers.apiRecording(NONE),
  blackBox: () => layers.blackBox(NONE),
  replayRecording: () => layers.replayRecording(NOTHING, "none", NONE),
  runDeqp: () => check.runDeqp(NONE),
  serveComposer: () => hwc.serveComposer(NOTHING, "none", NONE),
  spirvDump: () => layers.spirvDump(NONE),
  videoConsumer: () => wsi.videoConsumer(NONE),
  vkjson: () => vkjson(NOTHING, NONE),
  watchFrames: () => hwc.watchFrames(NONE),
  watchLayer: () => layers.watchLayer("none", NONE),
  webViewer: () => wsi.webViewer(NONE),
  x11Window: () => wsi.x11Window(NONE),
};

const ERROR = "it is made while something fails already, and a second error would hide the first";
/** The functions that look at no options themselves, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "FrameView.toRgba": "it hands them to convertPixels()",
  "SurfaceLayer.set": "it hands them to a transaction",
  "new CompositionError": ERROR,
  "new DriverError": ERROR,
  "new EglError": ERROR,
  "new HwcError": ERROR,
  "new KmsError": ERROR,
  "new NativeError": ERROR,
  "new RecordingError": ERROR,
  "new VulkanError": ERROR,
  "new WsiError": ERROR,
  openGpuTest: "its options are those of the gpuTest() that wrote them down",
};

Deno.test("every public function that takes options is known here", async () => {
  const known = [...Object.keys(CALLS), ...Object.keys(LEFT_OUT)].sort();
  assertEquals(await takersOfOptions(), known);
});

for (const [name, call] of Object.entries(CALLS)) {
  Deno.test(`${name} refuses an option that there is none of`, async () => {
    assertMatch(await thrownBy(call), /^Cannot use option "nonsense" of .+, for there is none: there are \w+/);
  });
}

async function thrownBy(call: () => unknown): Promise<string> {
  try {
    return `nothing, but returned ${await call()}`;
  } catch (error) {
    return error instanceof TypeError ? error.message : `${error}`;
  }
}

/** An option with a value that does not fit, and what the error says to give. */
const VALUES: readonly (readonly [string, unknown, string])[] = [
  ["systemProperties", 5, 'give an object of texts by the properties\' names, "device", or the path of a build.prop'],
  [
    "systemProperties",
    { "ro.x": 1 },
    'names, "device", or the path of a build.prop or of what getprop printed: "ro.x" is 1',
  ],
  ["halSearch", "both", 'give "libvulkan" or "hw_get_module"'],
  ["release", 13, "give 14, 15, 16 or 17"],
  ["windowSystem", { vkCreateSwapchainKHR: 8 }, 'commands\' names: "vkCreateSwapchainKHR" is 8'],
  ["quirks", "all", 'give "aosp"'],
  ["platform", "windows", 'give "auto", "android" or "linux"'],
  ["app", { packagename: "org.example" }, 'in which "packagename" is none; did you mean "packageName"?'],
  ["settings", { gpu_debug_layers: true }, 'names: "gpu_debug_layers" is true'],
  ["updatableDriver", 5, "give the path of a folder or package, or { gpuService }"],
  ["foreignCalls", "many", "give a number"],
];

Deno.test("values of options that do not fit are refused with what may be given", async () => {
  for (const [name, value, advice] of VALUES) {
    const message = await thrownBy(() => wsi.loadVulkan({ driver: "/none", [name]: value } as never));
    assertEquals(
      [message.includes(`as option "${name}" of loadVulkan()`), message.includes(advice)],
      [true, true],
      message,
    );
  }
  for (const [name, value, advice] of VALUES.filter(([name]) => /properties|quirks|platform|app|settings/.test(name))) {
    const message = await thrownBy(() => egl.loadEgl({ [name]: value } as never));
    assertEquals(
      [message.includes(`as option "${name}" of loadEgl()`), message.includes(advice)],
      [true, true],
      message,
    );
  }
});
