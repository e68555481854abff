import { isIdentity } from "../../backends/colors/color_matrix.ts";
import { COLOR_TRANSFORM } from "../../device_types.ts";
import type { DisplaySettings, LayerSettings } from "../connected/command_queue.ts";
import { OPCODE } from "./opcodes.ts";
import { byteWords, floatWord, regionWords, WordWriter } from "./words.ts";

/** The version from which colours are fractions. */
const FLOAT_COLORS = "2.2";

/** Encoded commands, and whose they are by the places of their first words. */
export interface EncodedCommands {
  readonly writer: WordWriter;
  /** The index of the display's settings, by the place of a command. */
  readonly owners: ReadonlyMap<number, number>;
}

/** Encodes settings as commands of a version. */
export function encodeCommands(all: readonly DisplaySettings[], version: string): EncodedCommands {
  const writer = new WordWriter(), owners = new Map<number, number>();
  all.forEach((settings, index) => {
    const start = writer.length;
    encodeDisplay(writer, settings, version);
    for (let at = start; at < writer.length; at++) owners.set(at, index);
  });
  return { writer, owners };
}

function encodeDisplay(to: WordWriter, settings: DisplaySettings, version: string): void {
  to.selectDisplay(settings.display);
  for (const layer of settings.layers) encodeLayer(to, layer, version);
  const { colorTransformMatrix: matrix, clientTarget, virtualDisplayOutputBuffer: output } = settings;
  if (matrix) {
    const hint = isIdentity(matrix) ? COLOR_TRANSFORM.IDENTITY : COLOR_TRANSFORM.ARBITRARY_MATRIX;
    to.command(OPCODE.SET_COLOR_TRANSFORM, ...matrix.map(floatWord), hint);
  }
  if (clientTarget) {
    const { buffer: { slot, handle, fence }, dataspace, damage } = clientTarget;
    const words = [slot, to.buffer(handle), to.fence(fence), dataspace];
    to.command(OPCODE.SET_CLIENT_TARGET, ...words, ...regionWords(damage, words.length));
  }
  if (output) {
    const { slot, handle, fence } = output;
    to.command(OPCODE.SET_OUTPUT_BUFFER, slot, to.buffer(handle), to.fence(fence));
  }
  if (settings.validateDisplay) to.command(OPCODE.VALIDATE_DISPLAY);
  if (settings.acceptDisplayChanges) to.command(OPCODE.ACCEPT_DISPLAY_CHANGES);
  if (settings.presentDisplay) to.command(OPCODE.PRESENT_DISPLAY);
  if (settings.presentOrValidateDisplay) to.command(OPCODE.PRESENT_OR_VALIDATE_DISPLAY);
}

/** A layer's settings. The composition comes first: colours and cursors are for layers of their kind. */
function encodeLayer(to: WordWriter, layer: LayerSettings, version: string): void {
  to.selectLayer(layer.layer);
  if (layer.composition) to.command(OPCODE.SET_LAYER_COMPOSITION_TYPE, layer.composition.composition);
  if (layer.cursorPosition) {
    to.command(OPCODE.SET_LAYER_CURSOR_POSITION, layer.cursorPosition.x, layer.cursorPosition.y);
  }
  if (layer.buffer) {
    const { slot, handle, fence } = layer.buffer;
    to.command(OPCODE.SET_LAYER_BUFFER, slot, to.buffer(handle), to.fence(fence));
  }
  if (layer.damage) to.command(OPCODE.SET_LAYER_SURFACE_DAMAGE, ...regionWords(layer.damage));
  if (layer.blendMode) to.command(OPCODE.SET_LAYER_BLEND_MODE, layer.blendMode.blendMode);
  if (layer.color) encodeColor(to, layer.color, version);
  if (layer.dataspace) to.command(OPCODE.SET_LAYER_DATASPACE, layer.dataspace.dataspace);
  if (layer.displayFrame) to.command(OPCODE.SET_LAYER_DISPLAY_FRAME, ...regionWords([layer.displayFrame]));
  if (layer.planeAlpha) to.command(OPCODE.SET_LAYER_PLANE_ALPHA, floatWord(layer.planeAlpha.alpha));
  if (layer.sidebandStream) to.command(OPCODE.SET_LAYER_SIDEBAND_STREAM, to.handle(layer.sidebandStream));
  if (layer.sourceCrop) to.command(OPCODE.SET_LAYER_SOURCE_CROP, ...regionWords([layer.sourceCrop]).map(floatWord));
  if (layer.transform) to.command(OPCODE.SET_LAYER_TRANSFORM, layer.transform.transform);
  if (layer.visibleRegion) to.command(OPCODE.SET_LAYER_VISIBLE_REGION, ...regionWords(layer.visibleRegion));
  if (layer.z) to.command(OPCODE.SET_LAYER_Z_ORDER, layer.z.z);
  encodeMore(to, layer);
}

/** Settings of 2.2 and newer versions. */
function encodeMore(to: WordWriter, layer: LayerSettings): void {
  if (layer.colorTransform) to.command(OPCODE.SET_LAYER_COLOR_TRANSFORM, ...layer.colorTransform.map(floatWord));
  if (layer.perFrameMetadata) {
    const words = layer.perFrameMetadata.flatMap(({ key, value }) => [key, floatWord(value)]);
    to.command(OPCODE.SET_LAYER_PER_FRAME_METADATA, ...words);
  }
  if (layer.perFrameMetadataBlob) {
    const all = layer.perFrameMetadataBlob.flatMap(({ key, blob }) => [key, blob.length, ...byteWords(blob)]);
    to.command(OPCODE.SET_LAYER_PER_FRAME_METADATA_BLOBS, layer.perFrameMetadataBlob.length, ...all);
  }
  if (layer.genericMetadata) {
    const { key, mandatory, value } = layer.genericMetadata, name = new TextEncoder().encode(key);
    const words = [name.length, ...byteWords(name), mandatory ? 1 : 0, value.length, ...byteWords(value)];
    to.command(OPCODE.SET_LAYER_GENERIC_METADATA, ...words);
  }
}

function encodeColor(
  to: WordWriter,
  { r, g, b, a }: { r: number; g: number; b: number; a: number },
  version: string,
): void {
  if (version >= FLOAT_COLORS) return to.command(OPCODE.SET_LAYER_FLOAT_COLOR, ...[r, g, b, a].map(floatWord));
  const bytes = [r, g, b, a].map((channel) => Math.round(Math.min(Math.max(channel, 0), 1) * 255));
  to.command(OPCODE.SET_LAYER_COLOR, bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24);
}
