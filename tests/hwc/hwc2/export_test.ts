import { assertEquals } from "@std/assert";
import { NativeBlock, openBlocks } from "../../../ffi/block.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { closeDescriptor, createEvent, createMemoryFile, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { bindNonblocking } from "../../../ffi/stubs.ts";
import type { Composer } from "../../../hwc/composer.ts";
import { FUNCTION_NAMES } from "../../../hwc/function_names.ts";
import { exportHwc2 } from "../../../hwc/hwc2/export.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { ERROR } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { compileFixture } from "../../support/compile.ts";
import { openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { needs } from "../../support/require.ts";

const path = compileFixture("hwc2_client"), NEEDS = needs("C compiler (cc)", path);
type Thread = "same" | "other";
const THREADS: readonly Thread[] = ["same", "other"];
const D = 0xd1d2d3d4d5d6d7d8n, L = 0xa1a2a3a4a5a6a7a8n;

/** The answer of each getter. */
const ANSWERS: Record<string, unknown> = {
  getCapabilities: [4, 5, 7],
  dump: "a dump, é",
  createVirtualDisplay: { display: D, format: 1 },
  getMaxVirtualDisplayCount: 3,
  getActiveConfig: 0xfffffff1,
  getDisplayAttribute: -1,
  getDisplayConfigs: [5, 6, 7],
  getDisplayName: "Panel",
  getDisplayType: 1,
  getDozeSupport: true,
  getHdrCapabilities: { types: [2, 3], maxLuminance: 500, maxAverageLuminance: 250.5, minLuminance: 0.125 },
  getColorModes: [0, 7],
  validateDisplay: { result: 5, numTypes: 1, numRequests: 2 },
  getChangedCompositionTypes: [{ layer: L, type: 1 }],
  getDisplayRequests: { displayRequests: 2, layerRequests: [{ layer: L, requests: 1 }] },
  createLayer: L,
  getPerFrameMetadataKeys: [12],
  getReadbackBufferAttributes: { format: 1, dataspace: -2 },
  getRenderIntents: [0],
  getDataspaceSaturationMatrix: [1.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1],
  getDisplayIdentificationData: { port: 200, data: Uint8Array.of(0xde, 0xad, 0xbe) },
  getDisplayCapabilities: [5],
  getDisplayedContentSamplingAttributes: { format: 55, dataspace: -3, componentMask: 0x84 },
  getDisplayedContentSample: { frameCount: 9n, samples: [[1n, 2n], [], [2n ** 40n], []] },
  getDisplayBrightnessSupport: true,
  getDisplayConnectionType: 1,
  getDisplayVsyncPeriod: 16666667,
  setActiveConfigWithConstraints: { newVsyncAppliedTimeNanos: -1n, refreshRequired: true, refreshTimeNanos: 2n ** 40n },
  getSupportedContentTypes: [4],
  getClientTargetProperty: { pixelFormat: 1, dataspace: -4 },
};

/** A composer that writes down what it is asked. */
function recorder(override: Record<string, (...args: never[]) => unknown> = {}) {
  const calls: [string, ...unknown[]][] = [];
  const method = (name: string) => (...args: unknown[]) => {
    calls.push([name, ...args]);
    return override[name] ? override[name](...args as never[]) : ANSWERS[name];
  };
  const methods = Object.fromEntries(
    ["getCapabilities", ...Object.values(FUNCTION_NAMES)].map((name) => [String(name), method(String(name))]),
  );
  const keys = [undefined, { key: "org.example.key", mandatory: true }];
  const all: Record<string, unknown> = {
    ...methods,
    getLayerGenericMetadataKey: (index: number) => keys[index],
    getFunction: (descriptor: number) => methods[FUNCTION_NAMES[descriptor] as string],
  };
  return { composer: all as unknown as Composer, calls };
}

function refuse(name: string, error: number): never {
  throw new HwcError(name, error, "the test wants it");
}

/** A fence that nobody signals before it is closed. */
function pendingFence(): NativeFence {
  return NativeFence.adopt(createEvent());
}

const TWO = [{ left: 1, top: -2, right: 3, bottom: 4 }, { left: 5, top: 6, right: 7, bottom: 8 }];
const MATRIX = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -16];

function settersExpected(buffer: string): unknown[] {
  return [
    ["destroyVirtualDisplay", D],
    ["setActiveConfig", D, 0xfffffff0],
    ["setPowerMode", D, -3],
    ["setVsyncEnabled", D, 2],
    ["setColorMode", D, 9],
    ["setColorTransform", D, MATRIX, -1],
    ["getClientTargetSupport", D, 1920, 1080, 1, -5],
    ["acceptDisplayChanges", D],
    ["setClientTarget", D, buffer, "fence", -7, TWO],
    ["setClientTarget", D, null, null, 8, []],
    ["setOutputBuffer", D, buffer, "fence"],
    ["destroyLayer", D, L],
    ["setCursorPosition", D, L, -11, 12],
    ["setLayerBuffer", D, L, buffer, null],
    ["setLayerSurfaceDamage", D, L, TWO],
    ["setLayerBlendMode", D, L, 3],
    ["setLayerColor", D, L, { r: 1, g: 2, b: 253, a: 254 }],
    ["setLayerCompositionType", D, L, 4],
    ["setLayerDataspace", D, L, 142671872],
    ["setLayerDisplayFrame", D, L, TWO[0]],
    ["setLayerPlaneAlpha", D, L, 0.25],
    ["setLayerSidebandStream", D, L, 0x1234567890n],
    ["setLayerSourceCrop", D, L, { left: 0.5, top: -1.5, right: Math.fround(1e20), bottom: 3.25 }],
    ["setLayerTransform", D, L, 7],
    ["setLayerVisibleRegion", D, L, []],
    ["setLayerZOrder", D, L, 0x80000001],
    ["setLayerFloatColor", D, L, { r: 0.125, g: 0.25, b: -0, a: Infinity }],
    ["setLayerPerFrameMetadata", D, L, [{ key: 3, value: 0.5 }, { key: 12, value: 1000 }]],
    ["setReadbackBuffer", D, buffer, null],
    ["setColorModeWithRenderIntent", D, 1, 2],
    ["setLayerColorTransform", D, L, MATRIX],
    ["setDisplayedContentSamplingEnabled", D, 1, 0x85, 1n << 40n],
    ["setLayerPerFrameMetadataBlobs", D, L, [
      { key: 3, blob: Uint8Array.of(97, 98) },
      { key: 12, blob: Uint8Array.of(99, 100, 101) },
    ]],
    ["setDisplayBrightness", D, -1],
    ["setAutoLowLatencyMode", D, true],
    ["setContentType", D, 4],
    ["setLayerGenericMetadata", D, L, "key", true, Uint8Array.of(120, 121)],
  ];
}

/** Calls with buffers and fences told apart from each other only. */
function plain(calls: readonly unknown[][], buffer: GraphicBuffer): unknown[] {
  const told = (value: unknown) =>
    value instanceof GraphicBuffer
      ? value === buffer ? "the buffer" : "another buffer"
      : value instanceof NativeFence
      ? "fence"
      : value;
  return calls.map((call) => call.map(told));
}

/** Runs one of the client's functions, on this thread or another. */
async function run(thread: Thread, library: Library, name: string, signature = "v:", ...args: (number | bigint)[]) {
  const address = library.require(name);
  if (thread === "same") invokeAddress(address, signature, args);
  else await bindNonblocking(signature, address)(...args);
}

/** Gives a composer to the client; what it wrote. */
async function withClient(composer: Composer, use: (library: Library) => void | Promise<void>): Promise<string[]> {
  using library = Library.open(path!), exported = exportHwc2(composer);
  assertEquals(invokeAddress(library.require("client_open"), "s:q", [exported.module]), 0);
  await use(library);
  assertEquals(invokeAddress(library.require("client_close"), "s:", []), 0);
  return readCString(invokeAddress(library.require("client_text"), "q:", []) as bigint).trim().split("\n");
}

for (const thread of THREADS) {
  Deno.test(`exportHwc2() gives the composer every setter's arguments from the ${thread} thread`, NEEDS, async () => {
    using buffer = allocateBuffer({ width: 4, height: 4, format: 1, usage: 0x33n });
    const { composer, calls } = recorder({
      setClientTarget: (_display, _target, fence: NativeFence | null) => fence?.close(),
    });
    const taken = createMemoryFile("acquire"), lent = createMemoryFile("release");
    const text = await withClient(composer, async (library) => {
      calls.length = 0;
      closeDescriptor(duplicate(lent)); // opens what stays open
      const files = openFiles();
      await run(thread, library, "client_setters", "v:qss", buffer.handle, taken, lent);
      assertEquals(files - openFiles(), 1, "the acquire fence is gone, that of the output buffer is the client's");
      assertEquals(plain(calls, buffer), settersExpected("the buffer"));
    });
    closeDescriptor(lent);
    assertEquals(text.at(-1), "0".repeat(37));
  });

  Deno.test(`exportHwc2() gives native code what the getters say on the ${thread} thread`, NEEDS, async () => {
    const { composer, calls } = recorder();
    const text = await withClient(composer, (library) => run(thread, library, "client_getters"));
    assertEquals(text, [
      "open 48574d54 hwcomposer -22 0",
      "device 48574454 2000001 1 capabilities 1 4 missing 1",
      "virtual 0 1 d1d2d3d4d5d6d7d8 of 3",
      "config 0 4294967281 attribute 0 -1 configs 0 3 0 2: 5 6 0",
      "name 0 5 Panel type 0 1 doze 0 1",
      "hdr 0 2 500 250.5 0.125 0 2 2 3",
      "modes 0 2 0 7",
      "validate 5 1 2 changes 0 1 a1a2a3a4a5a6a7a8 1 requests 0 2 1 a1a2a3a4a5a6a7a8 1",
      "layer 0 a1a2a3a4a5a6a7a8",
      "keys 0 1 12 readback 0 1 -2 intents 0 1 0 matrix 0 1.5 -1",
      "edid 0 200 3 dead can 0 1 5 sampling 0 55 -3 132",
      "sample 0 9 2 0 1 0 0 2 1 2 1099511627776",
      "bright 0 1 connection 0 1 period 0 16666667 timeline 0 -1 1 1099511627776",
      "contents 0 1 4 property 0 1 -4 key 15 org.example.key 1 0",
      "dump 10 10 a dump, é",
    ]);
    const asked = (name: string) => calls.find(([found]) => found === name)?.slice(1);
    assertEquals(asked("createVirtualDisplay"), [64, 48, 4]);
    assertEquals(asked("getDisplayAttribute"), [D, 5, 99]);
    assertEquals(asked("getDisplayedContentSample"), [D, 3n, 4n]);
    assertEquals(asked("setActiveConfigWithConstraints"), [D, 6, { desiredTimeNanos: -5n, seamlessRequired: true }]);
  });
}

Deno.test("exportHwc2() gives fences away as file descriptors, each once", NEEDS, async () => {
  const { composer } = recorder({
    presentDisplay: () => pendingFence(),
    getReleaseFences: () => [{ layer: L, fence: pendingFence() }, { layer: 2n, fence: pendingFence() }],
    getReadbackBufferFence: () => refuse("getReadbackBufferFence", ERROR.UNSUPPORTED),
  });
  using fds = new NativeBlock(12);
  let files = 0;
  const text = await withClient(composer, (library) => {
    files = openFiles();
    invokeAddress(library.require("client_fences"), "v:q", [fds.address]);
    assertEquals(openFiles() - files, 2);
  });
  assertEquals(text.slice(2), [`present 0 releases 0 2 0 1 ${L.toString(16)} -9`, "readback 8 -1"]);
  for (const at of [0, 4]) closeDescriptor(fds.view.getInt32(at, true));
  await assertNoMoreFiles(files);
});

Deno.test("exportHwc2() leaves the caller its fences when the composer refuses", NEEDS, async () => {
  using buffer = allocateBuffer({ width: 4, height: 4, format: 1, usage: 0x33n });
  const { composer } = recorder({ setClientTarget: () => refuse("setClientTarget", ERROR.BAD_DISPLAY) });
  const taken = createMemoryFile("acquire"), lent = createMemoryFile("release"), files = openFiles();
  const text = await withClient(composer, async (library) => {
    await run("same", library, "client_setters", "v:qss", buffer.handle, taken, lent);
  });
  assertEquals(openFiles(), files);
  for (const fd of [taken, lent]) closeDescriptor(fd);
  assertEquals(text.at(-1), "0".repeat(8) + "22" + "0".repeat(27));
});

Deno.test("exportHwc2() refuses NULL where something must be", NEEDS, async () => {
  const text = await withClient(recorder().composer, (library) => run("same", library, "client_nulls"));
  assertEquals(text.at(-1), "44444");
});

Deno.test("exportHwc2() calls back what native code registered, with its data, until it closes", NEEDS, async () => {
  const listeners = new Map<number, ((...args: unknown[]) => void) | null>();
  const { composer } = recorder({
    registerCallback: (descriptor: number, listener: () => void) => void listeners.set(descriptor, listener),
  });
  const text = await withClient(composer, async (library) => {
    await run("same", library, "client_register");
    listeners.get(1)!(D, 2);
    listeners.get(2)!(D);
    listeners.get(3)!(D, -1n);
    listeners.get(4)!(D, 2n ** 40n, 0xfffffff0);
    listeners.get(5)!(D, { newVsyncAppliedTimeNanos: 1n, refreshRequired: true, refreshTimeNanos: -2n });
    listeners.get(6)!(D);
  });
  const d = D.toString(16);
  assertEquals(text.slice(2), [
    "000000 4",
    `hotplug 1 ${d} 2`,
    `display 1 ${d}`,
    `vsync 1 ${d} -1`,
    `vsync24 1 ${d} 1099511627776 4294967280`,
    `timing 1 ${d} 1 1 -2`,
    `display 1 ${d}`,
  ]);
  assertEquals([...listeners.values()], [null, null, null, null, null, null]);
});

Deno.test("exportHwc2() leaves nothing behind, and can be closed twice", () => {
  const blocks = openBlocks(), exported = exportHwc2(recorder().composer);
  exported.close();
  exported.close();
  assertEquals(openBlocks(), blocks);
});
