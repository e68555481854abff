import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { checkArguments } from "../../arguments.ts";
import type { AsyncComposer } from "../../composer.ts";
import { checkOneOf } from "../../core/calls/checks.ts";
import { namingErrors } from "../../core/refusal.ts";
import {
  ATTRIBUTE,
  CALLBACK,
  COLOR_TRANSFORM,
  CONTENT_SAMPLING,
  DISPLAY_TYPE,
  RENDER_INTENT,
  VSYNC,
} from "../../device_types.ts";
import { FUNCTION_NAMES } from "../../function_names.ts";
import { HwcError } from "../../hwc_error.ts";
import { type CommandName, COMMANDS } from "../../remote/commands.ts";
import { DATASPACE, ERROR, FORMAT } from "../../types.ts";
import type { RemoteObject } from "../bus.ts";
import { closeSent, handleOf, SLOT_COUNT } from "../connected/sent_slots.ts";
import { IComposer, IComposerClient, type IComposerClientMethods, type LayerCommand } from "../gen/composer3_gen.ts";
import { aidlClient, dumpOf, versionOf } from "../parcel/aidl/client.ts";
import { AidlConnection } from "./connection.ts";
import { hwcErrorOf } from "./errors.ts";

/** A composer of another process, by binder. */
export type BinderComposer = AsyncComposer & AsyncDisposable & {
  /** Sends the commands that wait to be sent with their frame. Throws the error of the first command that failed. */
  flush(): Promise<void>;
  /** A service takes sync_files, and Pumice's takes the kind that other processes can wait for. */
  readonly takesAnyFence: false;
  /** The version of the service's interface. */
  readonly version: number;
};

/** Settings that a composer does not keep valid what it has decided: all but these, which only change pictures. */
const KEEPS_VALIDATION: ReadonlySet<string> = new Set([
  "setLayerBuffer",
  "setLayerSurfaceDamage",
  "setCursorPosition",
  "setClientTarget",
  "setOutputBuffer",
  "setExpectedPresentTime",
  "setDisplayBrightness",
  "setLayerPerFrameMetadata",
  "setLayerPerFrameMetadataBlobs",
]);

type Method = (...args: never[]) => unknown;
type Methods = Partial<{ [Name in CommandName]: AsyncComposer[Name] }>;

/**
 * Becomes the client of a composer's AIDL service. Throws an `HwcError` NO_RESOURCES if there is another client, or if
 * the service does not answer.
 */
export async function connectAidl(composer: RemoteObject, release: number): Promise<BinderComposer> {
  const first = { release, version: 1 };
  try {
    const made = await aidlClient(IComposer, composer, first).createClient();
    if (!made || !("remote" in made)) {
      throw new HwcError("connectComposer", ERROR.NO_RESOURCES, "the service gave no client");
    }
    const version = await versionOf(IComposerClient.descriptor, made.remote, first).catch(() => 1);
    const connection = new AidlConnection(made.remote, { release, version });
    return composerOver(connection, composer);
  } catch (error) {
    throw hwcErrorOf("connectComposer", error);
  }
}

function composerOver(connection: AidlConnection, service: RemoteObject): BinderComposer {
  const methods: Methods = {
    ...questions(connection),
    ...actions(connection),
    ...frames(connection),
    ...layers(connection),
  };
  const named = namingErrors({ ...methods, ...global(connection, service) });
  const checked = Object.fromEntries(
    Object.entries(named).map(([name, method]) => [name, (...args: never[]) => {
      checkArguments(name, args);
      return (method as Method)(...args);
    }]),
  );
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    connection.close();
  };
  const composer: Record<PropertyKey, unknown> = {
    ...missing(checked),
    ...checked,
    registerCallback: (descriptor: number, listener: ((...args: unknown[]) => void) | null) =>
      register(connection, descriptor, listener),
    getFunction: (descriptor: number) => composer[FUNCTION_NAMES[descriptor] as "registerCallback"],
    takesAnyFence: false,
    version: connection.dialect.version,
    flush: async () => void await connection.flush("flush"),
    close,
    [Symbol.dispose]: close,
    async [Symbol.asyncDispose]() {
      close();
    },
  };
  return composer as unknown as BinderComposer;
}

/** What the interface has no words for. */
function missing(known: Readonly<Record<string, unknown>>): Record<string, Method> {
  const names = Object.keys(COMMANDS).filter((name) => !(name in known));
  return Object.fromEntries(names.map((name) => [name, (...args: never[]) => {
    checkArguments(name, args);
    throw new HwcError(name, ERROR.UNSUPPORTED, "the AIDL interface has no such method");
  }]));
}

async function register(
  connection: AidlConnection,
  descriptor: number,
  listener: ((...args: unknown[]) => void) | null,
): Promise<void> {
  checkArguments("registerCallback", [descriptor, listener]);
  const { listeners } = connection, isFirst = !connection.isRegistered;
  listeners.set(descriptor, listener);
  if (!listener) return;
  await connection.register();
  if (!isFirst && descriptor === CALLBACK.HOTPLUG) listeners.replayHotplugs();
}

/** The methods about the device as a whole. */
function global(connection: AidlConnection, service: RemoteObject): Methods {
  const { dialect } = connection, device = aidlClient(IComposer, service, dialect);
  return {
    getCapabilities: async () => [
      ...await device.getCapabilities().catch((error) => {
        throw hwcErrorOf("getCapabilities", error);
      }),
    ],
    dump: () => dumpOf(service, dialect),
    getMaxVirtualDisplayCount: () =>
      connection.ask("getMaxVirtualDisplayCount", (it) => it.getMaxVirtualDisplayCount()),
    getDataspaceSaturationMatrix: (dataspace) =>
      connection.ask(
        "getDataspaceSaturationMatrix",
        async (it) => [...await it.getDataspaceSaturationMatrix(dataspace)],
      ),
    async createVirtualDisplay(width, height, format) {
      const made = await connection.ask("createVirtualDisplay", (it) => {
        return it.createVirtualDisplay(width, height, format, SLOT_COUNT);
      });
      const display = id(made.display);
      connection.virtual.add(display);
      return { display, format: made.format };
    },
    async destroyVirtualDisplay(display) {
      await connection.ask("destroyVirtualDisplay", (it) => it.destroyVirtualDisplay(display));
      connection.forgetDisplay(display);
    },
  };
}

type SameName = keyof IComposerClientMethods & CommandName;
// deno-lint-ignore no-explicit-any
type AnyMethod = (...args: any[]) => Promise<any>;

/** Asks by a method whose name and types are the composer's, too. */
function askAny(connection: AidlConnection, name: SameName, args: readonly unknown[]): ReturnType<AnyMethod> {
  return connection.ask(name, (service) => (service[name] as AnyMethod)(...args));
}

/** Questions about a display. */
function questions(connection: AidlConnection): Methods {
  /** Methods that answer a number, a text or an object as the composer does. */
  const ask = (name: SameName): AnyMethod => (...args) => askAny(connection, name, args);
  const list = (name: SameName): AnyMethod => async (...args) => [...await askAny(connection, name, args)];
  return {
    getActiveConfig: (display) =>
      connection.ask("getActiveConfig", async (it) => await it.getActiveConfig(display) >>> 0),
    getDisplayAttribute: ask("getDisplayAttribute"),
    getDisplayConfigs: list("getDisplayConfigs"),
    getDisplayName: ask("getDisplayName"),
    async getDisplayType(display) {
      await connection.ask("getDisplayType", (it) => it.getActiveConfig(display));
      return connection.virtual.has(display) ? DISPLAY_TYPE.VIRTUAL : DISPLAY_TYPE.PHYSICAL;
    },
    async getDozeSupport(display) {
      const all = await connection.ask("getDozeSupport", (it) => it.getDisplayCapabilities(display));
      return all.includes(DOZE);
    },
    async getDisplayBrightnessSupport(display) {
      const all = await connection.ask("getDisplayBrightnessSupport", (it) => it.getDisplayCapabilities(display));
      return all.includes(BRIGHTNESS);
    },
    async getClientTargetSupport(display, width, height, format, dataspace) {
      const size = await connection.ask("getClientTargetSupport", async (it) => {
        const config = await it.getActiveConfig(display),
          attribute = (which: number) => it.getDisplayAttribute(display, config, which);
        return [await attribute(ATTRIBUTE.WIDTH), await attribute(ATTRIBUTE.HEIGHT)];
      });
      const isMust = format === FORMAT.RGBA_8888 && dataspace === DATASPACE.UNKNOWN && width === size[0] &&
        height === size[1];
      if (isMust) return;
      const sentence = "the AIDL interface cannot be asked; every display takes RGBA_8888 of its size";
      throw new HwcError("getClientTargetSupport", ERROR.UNSUPPORTED, sentence);
    },
    getLayerGenericMetadataKey: () => undefined, // the interface has none
    getHdrCapabilities: ask("getHdrCapabilities"),
    getColorModes: list("getColorModes"),
    getPerFrameMetadataKeys: list("getPerFrameMetadataKeys"),
    getReadbackBufferAttributes: ask("getReadbackBufferAttributes"),
    async getReadbackBufferFence(display) {
      const fd = await connection.ask("getReadbackBufferFence", (it) => it.getReadbackBufferFence(display));
      return fd === null ? NativeFence.signaled() : NativeFence.adopt(fd);
    },
    getRenderIntents: list("getRenderIntents"),
    async getDisplayIdentificationData(display) {
      const { port, data } = await connection.ask("getDisplayIdentificationData", (it) => {
        return it.getDisplayIdentificationData(display);
      });
      return { port: port & 0xff, data };
    },
    getDisplayCapabilities: list("getDisplayCapabilities"),
    async getDisplayedContentSamplingAttributes(display) {
      const found = await connection.ask("getDisplayedContentSamplingAttributes", (it) => {
        return it.getDisplayedContentSamplingAttributes(display);
      });
      return { ...found, componentMask: found.componentMask & 0xff };
    },
    async getDisplayedContentSample(display, maxFrames, timestamp) {
      const sample = await connection.ask("getDisplayedContentSample", (it) => {
        return it.getDisplayedContentSample(display, maxFrames, timestamp);
      });
      const { sampleComponent0, sampleComponent1, sampleComponent2, sampleComponent3 } = sample;
      const samples = [sampleComponent0, sampleComponent1, sampleComponent2, sampleComponent3];
      return { frameCount: sample.frameCount, samples };
    },
    getDisplayConnectionType: ask("getDisplayConnectionType"),
    getDisplayVsyncPeriod: ask("getDisplayVsyncPeriod"),
    getSupportedContentTypes: list("getSupportedContentTypes"),
    getPreferredBootDisplayConfig: ask("getPreferredBootDisplayConfig"),
    async getDisplayConfigurations(display) {
      const all = await connection.ask(
        "getDisplayConfigurations",
        (it) => it.getDisplayConfigurations(display, NO_LIMIT),
      );
      return all.map(({ dpi, configId, width, height, vsyncPeriod, configGroup }) => {
        return { configId, width, height, vsyncPeriod, configGroup, ...dpi && { dpi } };
      });
    },
    getDisplayPhysicalOrientation: ask("getDisplayPhysicalOrientation"),
  };
}

const DOZE = 2, BRIGHTNESS = 3, NO_LIMIT = 0;

/** What is done to a display at once. */
function actions(connection: AidlConnection): Methods {
  const act = (name: SameName): AnyMethod => (...args) => askAny(connection, name, args);
  const changing = (name: SameName): AnyMethod => async (...args) => {
    await askAny(connection, name, args);
    connection.frames.changed(args[0]);
  };
  const setColorMode = async (method: string, display: bigint, mode: number, intent: number) => {
    await connection.ask(method, (it) => it.setColorMode(display, mode, intent));
    connection.frames.changed(display);
  };
  return {
    setActiveConfig: changing("setActiveConfig"),
    setActiveConfigWithConstraints: act("setActiveConfigWithConstraints"),
    setPowerMode: act("setPowerMode"),
    setVsyncEnabled(display, enabled) {
      checkOneOf("vsync setting", enabled, VSYNC, VSYNC.ENABLE);
      const isWanted = enabled === VSYNC.ENABLE;
      connection.listeners.wantVsyncs(display, isWanted);
      return connection.ask("setVsyncEnabled", (it) => it.setVsyncEnabled(display, isWanted));
    },
    setColorMode: (display, mode) => setColorMode("setColorMode", display, mode, RENDER_INTENT.COLORIMETRIC),
    setColorModeWithRenderIntent: (display, mode, intent) =>
      setColorMode("setColorModeWithRenderIntent", display, mode, intent),
    async setReadbackBuffer(display, buffer, releaseFence) {
      const handle = handleOf("setReadbackBuffer", buffer), fence = connection.descriptorOf(releaseFence);
      const sent = { fds: [...handle.fds, fence ?? -1], ints: [] };
      try {
        await connection.ask("setReadbackBuffer", (it) => it.setReadbackBuffer(display, handle, fence));
        releaseFence?.close();
      } finally {
        closeSent(sent);
      }
    },
    setDisplayedContentSamplingEnabled(display, enabled, componentMask, maxFrames) {
      checkOneOf("sampling setting", enabled, CONTENT_SAMPLING, CONTENT_SAMPLING.ENABLE);
      return connection.ask("setDisplayedContentSamplingEnabled", (it) => {
        const isEnabled = enabled === CONTENT_SAMPLING.ENABLE;
        return it.setDisplayedContentSamplingEnabled(display, isEnabled, componentMask, maxFrames);
      });
    },
    setAutoLowLatencyMode: act("setAutoLowLatencyMode"),
    setContentType: act("setContentType"),
    setBootDisplayConfig: act("setBootDisplayConfig"),
    clearBootDisplayConfig: act("clearBootDisplayConfig"),
    setIdleTimerEnabled: act("setIdleTimerEnabled"),
    setRefreshRateChangedCallbackDebugEnabled: act("setRefreshRateChangedCallbackDebugEnabled"),
  };
}

/** A frame's cycle. */
function frames(connection: AidlConnection): Methods {
  const { queue, frames: answers } = connection;
  return {
    async validateDisplay(display) {
      clearClosed(connection);
      queue.setDisplay("validateDisplay", display, "validateDisplay", true);
      const { changes, requests, target } = await connection.flush("validateDisplay", display);
      answers.validated(display, { changes, requests, target });
      const numTypes = changes.length, numRequests = requests.layerRequests.length;
      return { result: numTypes > 0 ? ERROR.HAS_CHANGES : ERROR.NONE, numTypes, numRequests };
    },
    getChangedCompositionTypes: async (
      display,
    ) => [...(await valid(connection, "getChangedCompositionTypes", display)).changes],
    getDisplayRequests: async (display) => (await valid(connection, "getDisplayRequests", display)).requests,
    getClientTargetProperty: async (display) => (await valid(connection, "getClientTargetProperty", display)).target!,
    acceptDisplayChanges(display) {
      queue.setDisplay("acceptDisplayChanges", display, "acceptDisplayChanges", true);
      answers.accepted(display);
    },
    setColorTransform(display, matrix, hint) {
      checkOneOf("colour transform", hint, COLOR_TRANSFORM);
      queue.setDisplay(
        "setColorTransform",
        display,
        "colorTransformMatrix",
        hint === COLOR_TRANSFORM.IDENTITY ? IDENTITY_MATRIX : [...matrix],
      );
      answers.changed(display);
    },
    setClientTarget(display, target, acquireFence, dataspace, damage) {
      const [buffer, undo] = connection.target("setClientTarget", display, target, acquireFence);
      queue.setDisplay("setClientTarget", display, "clientTarget", { buffer, dataspace, damage }, undo);
      acquireFence?.close();
    },
    setOutputBuffer(display, output, releaseFence) {
      const [buffer, undo] = connection.output("setOutputBuffer", display, output, releaseFence);
      queue.setDisplay("setOutputBuffer", display, "virtualDisplayOutputBuffer", buffer, undo);
    },
    async setDisplayBrightness(display, brightness) {
      queue.setDisplay("setDisplayBrightness", display, "brightness", { brightness, brightnessNits: -1 });
      await connection.flush("setDisplayBrightness");
    },
    setExpectedPresentTime(display, timestamp) {
      queue.setDisplay("setExpectedPresentTime", display, "expectedPresentTime", { timestampNanos: timestamp });
    },
    async presentDisplay(display) {
      clearClosed(connection);
      queue.setDisplay("presentDisplay", display, "presentDisplay", true);
      const { present, releases } = await connection.flush("presentDisplay", display);
      answers.presented(display, releases);
      return present ?? NativeFence.signaled();
    },
    async getReleaseFences(display) {
      if (!answers.hasPresented(display)) await connection.ask("getReleaseFences", (it) => it.getActiveConfig(display));
      return answers.releasesOf(display);
    },
  };
}

const IDENTITY_MATRIX: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** What a validation said; a display that is not there is the service's to refuse. */
async function valid(connection: AidlConnection, method: string, display: bigint) {
  if (!connection.frames.isValid(display)) await connection.ask(method, (it) => it.getDisplayName(display));
  return connection.frames.of(method, display);
}

/** The service is to give back what the client has closed. Before version 2 it keeps that until another takes its slot. */
function clearClosed(connection: AidlConnection): void {
  if (connection.dialect.version < 2) return;
  for (const [display, layer, slots] of connection.closedSlots()) {
    connection.queue.setLayer("setLayerBuffer", display, layer, "bufferSlotsToClear", slots);
  }
}

/** Layers, and what they show. */
function layers(connection: AidlConnection): Methods {
  const { queue, frames: answers } = connection;
  const set = <Name extends keyof LayerCommand>(
    method: CommandName,
    display: bigint,
    layer: bigint,
    name: Name,
    value: LayerCommand[Name],
  ): void | Promise<void> => {
    queue.setLayer(method, display, layer, name, value);
    if (!KEEPS_VALIDATION.has(method)) answers.changed(display);
    if (COMMANDS[method].pace === "asked") return connection.flush(method).then(() => {});
  };
  return {
    async createLayer(display) {
      const layer = id(await connection.ask("createLayer", (it) => it.createLayer(display, SLOT_COUNT)));
      answers.changed(display);
      return layer;
    },
    async destroyLayer(display, layer) {
      await connection.ask("destroyLayer", (it) => it.destroyLayer(display, layer));
      connection.forgetLayer(`${display}/${layer}`);
      answers.changed(display);
    },
    setCursorPosition: (display, layer, x, y) => set("setCursorPosition", display, layer, "cursorPosition", { x, y }),
    setLayerBuffer(display, layer, shown, acquireFence) {
      const [buffer, undo] = connection.layerBuffer("setLayerBuffer", `${display}/${layer}`, shown, acquireFence);
      queue.setLayer("setLayerBuffer", display, layer, "buffer", buffer, undo);
      acquireFence?.close();
    },
    setLayerSurfaceDamage: (display, layer, damage) =>
      set("setLayerSurfaceDamage", display, layer, "damage", copied(damage)),
    setLayerBlendMode: (display, layer, blendMode) =>
      set("setLayerBlendMode", display, layer, "blendMode", { blendMode }),
    setLayerColor: (display, layer, { r, g, b, a }) =>
      set("setLayerColor", display, layer, "color", { r: r / 255, g: g / 255, b: b / 255, a: a / 255 }),
    setLayerFloatColor: (display, layer, color) => set("setLayerFloatColor", display, layer, "color", { ...color }),
    setLayerCompositionType: (display, layer, composition) =>
      set("setLayerCompositionType", display, layer, "composition", { composition }),
    setLayerDataspace: (display, layer, dataspace) =>
      set("setLayerDataspace", display, layer, "dataspace", { dataspace }),
    setLayerDisplayFrame: (display, layer, frame) =>
      set("setLayerDisplayFrame", display, layer, "displayFrame", { ...frame }),
    setLayerPlaneAlpha: (display, layer, alpha) => set("setLayerPlaneAlpha", display, layer, "planeAlpha", { alpha }),
    setLayerSidebandStream: (display, layer, stream) =>
      set("setLayerSidebandStream", display, layer, "sidebandStream", { fds: [], ints: wordsOf(stream) }),
    setLayerSourceCrop: (display, layer, crop) => set("setLayerSourceCrop", display, layer, "sourceCrop", { ...crop }),
    setLayerTransform: (display, layer, transform) =>
      set("setLayerTransform", display, layer, "transform", { transform }),
    setLayerVisibleRegion: (display, layer, visible) =>
      set("setLayerVisibleRegion", display, layer, "visibleRegion", copied(visible)),
    setLayerZOrder: (display, layer, z) => set("setLayerZOrder", display, layer, "z", { z }),
    setLayerPerFrameMetadata: (display, layer, metadata) =>
      set("setLayerPerFrameMetadata", display, layer, "perFrameMetadata", copied(metadata)),
    setLayerColorTransform: (display, layer, matrix) =>
      set("setLayerColorTransform", display, layer, "colorTransform", [...matrix]),
    setLayerPerFrameMetadataBlobs: (display, layer, blobs) =>
      set("setLayerPerFrameMetadataBlobs", display, layer, "perFrameMetadataBlob", copied(blobs)),
    setLayerBrightness: (display, layer, brightness) =>
      set("setLayerBrightness", display, layer, "brightness", { brightness }),
    setLayerBlockingRegion: (display, layer, blocking) =>
      set("setLayerBlockingRegion", display, layer, "blockingRegion", copied(blocking)),
  };
}

/** A stream's number as two words. */
function wordsOf(stream: bigint): number[] {
  return stream === 0n ? [] : [Number(stream & 0xffff_ffffn) | 0, Number(stream >> 32n) | 0];
}

/** The client may change its objects before they are sent. */
function copied<Thing extends object>(list: readonly Thing[]): Thing[] {
  return list.map((thing) => ({ ...thing }));
}

function id(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
