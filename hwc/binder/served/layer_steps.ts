import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import type { LayerSettings } from "../connected/command_queue.ts";
import type { Buffer } from "../gen/composer3_gen.ts";
import { closeHandle } from "./buffer_slots.ts";
import type { GivenBuffer, ServedClient } from "./client.ts";

/** `LayerLifecycleBatchCommandType`. */
const CREATE = 1, DESTROY = 2;

type Step<Value> = (client: ServedClient, display: bigint, layer: bigint, value: NonNullable<Value>) => unknown;
type Steps = { readonly [Name in keyof LayerSettings]?: Step<LayerSettings[Name]> };

/** The effect of each setting, in this order. The composition comes first: colours and cursors are for layers of their kind. */
const STEPS: Steps = {
  composition: (it, display, layer, { composition }) => it.call("setLayerCompositionType", display, layer, composition),
  cursorPosition: (it, display, layer, { x, y }) => it.call("setCursorPosition", display, layer, x, y),
  bufferSlotsToClear: (it, display, layer, slots) => it.clearLayerSlots(display, layer, slots),
  buffer: (it, display, layer, buffer) => it.setLayerBuffer(display, layer, given(buffer)),
  damage: (it, display, layer, damage) => it.call("setLayerSurfaceDamage", display, layer, damage),
  blendMode: (it, display, layer, { blendMode }) => it.call("setLayerBlendMode", display, layer, blendMode),
  color: (it, display, layer, color) => it.call("setLayerFloatColor", display, layer, color),
  dataspace: (it, display, layer, { dataspace }) => it.call("setLayerDataspace", display, layer, dataspace),
  displayFrame: (it, display, layer, frame) => it.call("setLayerDisplayFrame", display, layer, frame),
  planeAlpha: (it, display, layer, { alpha }) => it.call("setLayerPlaneAlpha", display, layer, alpha),
  sidebandStream(it, display, layer, stream) {
    closeHandle(stream);
    return it.call("setLayerSidebandStream", display, layer, streamOf(stream.ints));
  },
  sourceCrop: (it, display, layer, crop) => it.call("setLayerSourceCrop", display, layer, crop),
  transform: (it, display, layer, { transform }) => it.call("setLayerTransform", display, layer, transform),
  visibleRegion: (it, display, layer, region) => it.call("setLayerVisibleRegion", display, layer, region),
  z: (it, display, layer, { z }) => it.call("setLayerZOrder", display, layer, z >>> 0),
  colorTransform: (it, display, layer, matrix) => it.call("setLayerColorTransform", display, layer, matrix),
  brightness: (it, display, layer, { brightness }) => it.call("setLayerBrightness", display, layer, brightness),
  perFrameMetadata: (it, display, layer, all) => it.call("setLayerPerFrameMetadata", display, layer, all),
  perFrameMetadataBlob: (it, display, layer, all) => it.call("setLayerPerFrameMetadataBlobs", display, layer, all),
  blockingRegion: (it, display, layer, region) => it.call("setLayerBlockingRegion", display, layer, region),
  genericMetadata: (it, display, layer, { key, mandatory, value }) =>
    it.call("setLayerGenericMetadata", display, layer, key, mandatory, value),
  luts(_it, _display, _layer, { pfd }) {
    closeDescriptor(pfd ?? -1);
    refuse(ERROR.UNSUPPORTED, "layers have no tables of colours here");
  },
  pictureProfileId: (it, _display, _layer, profile) => it.ignoreProfile(profile),
};

const ENTRIES = Object.entries(STEPS) as [keyof LayerSettings, Step<unknown>][];

/** The steps that set a layer's state, as a command has it. A layer's first steps may be its making, its last its end. */
export function layerSteps(client: ServedClient, display: bigint, command: LayerSettings): (() => unknown)[] {
  const name = BigInt.asUintN(64, command.layer), lifecycle = command.layerLifecycleBatchCommandType;
  if (lifecycle === DESTROY) {
    dropLayer(command);
    return [() => client.destroyLayer(display, name)];
  }
  const steps: (() => unknown)[] = [];
  if (lifecycle === CREATE) steps.push(() => client.createLayer(display, command.newBufferSlotCount ?? 0, name));
  for (const [setting, step] of ENTRIES) {
    const value = command[setting];
    if (value !== null && value !== undefined) {
      steps.push(() => step(client, display, idOf(client, display, { layer: name, [setting]: value }), value));
    }
  }
  return steps;
}

/** The composer's handle of a layer. What a setting of an unknown one brought is closed. */
function idOf(client: ServedClient, display: bigint, setting: LayerSettings): bigint {
  try {
    return client.layers.idOf(display, setting.layer);
  } catch (error) {
    dropLayer(setting);
    throw error;
  }
}

/** Closes what a layer's command brought that is not done. */
function dropLayer({ buffer, sidebandStream, luts }: LayerSettings): void {
  closeHandle(buffer?.handle);
  closeDescriptor(buffer?.fence ?? -1);
  closeHandle(sidebandStream);
  closeDescriptor(luts?.pfd ?? -1);
}

/** A buffer of a command, without what may be left out. */
export function given({ slot, handle, fence }: Buffer): GivenBuffer {
  return { slot, handle: handle ?? null, fence: fence ?? -1 };
}

/** A stream by its number, which goes over as the two words of it. */
function streamOf(ints: readonly number[]): bigint {
  const [low = 0, high = 0] = ints;
  return BigInt(high >>> 0) << 32n | BigInt(low >>> 0);
}
