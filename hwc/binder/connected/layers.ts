import { type CommandName, COMMANDS } from "../../remote/commands.ts";
import type { LayerSettings } from "./command_queue.ts";
import type { BinderConnection } from "./connection.ts";
import type { Methods } from "./methods.ts";
import { SLOT_COUNT } from "./sent_slots.ts";

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

/** Layers, and what they show. */
export function layers(connection: BinderConnection): Methods {
  const { queue, frames: answers } = connection;
  const set = <Name extends keyof LayerSettings>(
    method: CommandName,
    display: bigint,
    layer: bigint,
    name: Name,
    value: LayerSettings[Name],
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
