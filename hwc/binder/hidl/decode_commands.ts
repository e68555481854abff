import type { DisplaySettings, LayerSettings } from "../connected/command_queue.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import { OPCODE } from "./opcodes.ts";
import { commandsIn, MalformedWords, WordReader } from "./words.ts";

/** Decoded commands: settings of one thing each, in their order, and where each begins. */
export interface DecodedCommands {
  readonly commands: DisplaySettings[];
  /** The place of each command's first word. */
  readonly places: number[];
  /** The reason why what follows is no command. */
  readonly malformed: string | undefined;
}

type Decode<Settings> = (from: WordReader) => Partial<Settings>;

const DISPLAY: Readonly<Record<number, Decode<DisplaySettings>>> = {
  [OPCODE.SET_COLOR_TRANSFORM](from) {
    const colorTransformMatrix = from.floats(16);
    from.s32();
    return { colorTransformMatrix };
  },
  [OPCODE.SET_CLIENT_TARGET](from) {
    const buffer = bufferOf(from), dataspace = from.s32();
    return { clientTarget: { buffer, dataspace, damage: from.region() } };
  },
  [OPCODE.SET_OUTPUT_BUFFER]: (from) => ({ virtualDisplayOutputBuffer: bufferOf(from) }),
  [OPCODE.VALIDATE_DISPLAY]: () => ({ validateDisplay: true }),
  [OPCODE.ACCEPT_DISPLAY_CHANGES]: () => ({ acceptDisplayChanges: true }),
  [OPCODE.PRESENT_DISPLAY]: () => ({ presentDisplay: true }),
  [OPCODE.PRESENT_OR_VALIDATE_DISPLAY]: () => ({ presentOrValidateDisplay: true }),
};

const LAYER: Readonly<Record<number, Decode<LayerSettings>>> = {
  [OPCODE.SET_LAYER_CURSOR_POSITION]: (from) => ({ cursorPosition: { x: from.s32(), y: from.s32() } }),
  [OPCODE.SET_LAYER_BUFFER]: (from) => ({ buffer: bufferOf(from) }),
  [OPCODE.SET_LAYER_SURFACE_DAMAGE]: (from) => ({ damage: from.region() }),
  [OPCODE.SET_LAYER_PER_FRAME_METADATA](from) {
    const perFrameMetadata: { key: number; value: number }[] = [];
    while (from.left > 0) perFrameMetadata.push({ key: from.s32(), value: from.float() });
    return { perFrameMetadata };
  },
  [OPCODE.SET_LAYER_PER_FRAME_METADATA_BLOBS](from) {
    const perFrameMetadataBlob: { key: number; blob: Uint8Array }[] = [];
    for (let left = from.s32(); left > 0; left--) {
      const key = from.s32(), size = from.s32();
      perFrameMetadataBlob.push({ key, blob: from.bytes(size) });
    }
    return { perFrameMetadataBlob };
  },
  [OPCODE.SET_LAYER_BLEND_MODE]: (from) => ({ blendMode: { blendMode: from.s32() } }),
  [OPCODE.SET_LAYER_COLOR](from) {
    const word = from.s32(), channel = (shift: number) => (word >>> shift & 0xff) / 255;
    return { color: { r: channel(0), g: channel(8), b: channel(16), a: channel(24) } };
  },
  [OPCODE.SET_LAYER_COMPOSITION_TYPE]: (from) => ({ composition: { composition: from.s32() } }),
  [OPCODE.SET_LAYER_DATASPACE]: (from) => ({ dataspace: { dataspace: from.s32() } }),
  [OPCODE.SET_LAYER_DISPLAY_FRAME]: (from) => ({ displayFrame: rectOf(() => from.s32()) }),
  [OPCODE.SET_LAYER_PLANE_ALPHA]: (from) => ({ planeAlpha: { alpha: from.float() } }),
  [OPCODE.SET_LAYER_SIDEBAND_STREAM]: (from) => ({ sidebandStream: from.handle() }),
  [OPCODE.SET_LAYER_SOURCE_CROP]: (from) => ({ sourceCrop: rectOf(() => from.float()) }),
  [OPCODE.SET_LAYER_TRANSFORM]: (from) => ({ transform: { transform: from.s32() } }),
  [OPCODE.SET_LAYER_VISIBLE_REGION]: (from) => ({ visibleRegion: from.region() }),
  [OPCODE.SET_LAYER_Z_ORDER]: (from) => ({ z: { z: from.s32() } }),
  [OPCODE.SET_LAYER_FLOAT_COLOR]: (from) => ({
    color: { r: from.float(), g: from.float(), b: from.float(), a: from.float() },
  }),
  [OPCODE.SET_LAYER_COLOR_TRANSFORM]: (from) => ({ colorTransform: from.floats(16) }),
  [OPCODE.SET_LAYER_GENERIC_METADATA](from) {
    const key = new TextDecoder().decode(from.bytes(from.s32())), mandatory = from.s32() !== 0;
    return { genericMetadata: { key, mandatory, value: from.bytes(from.s32()) } };
  },
};

/** Decodes commands up to the first that is none. Descriptors in them are copies; the handles stay the caller's. */
export function decodeCommands(words: Uint32Array, handles: readonly NativeHandle[]): DecodedCommands {
  const commands: DisplaySettings[] = [], places: number[] = [];
  let display: bigint | undefined, layer: bigint | undefined, malformed: string | undefined;
  try {
    for (const [at, opcode, rest] of commandsIn(words)) {
      const from = new WordReader(rest, handles);
      if (opcode === OPCODE.SELECT_DISPLAY) [display, layer] = [wholly(from, () => from.u64()), undefined];
      else if (opcode === OPCODE.SELECT_LAYER) layer = wholly(from, () => from.u64());
      else {
        commands.push(wholly(from, () => decodeCommand(opcode, from, display, layer)));
        places.push(at);
      }
    }
  } catch (error) {
    if (!(error instanceof MalformedWords)) throw error;
    malformed = error.message;
  }
  return { commands, places, malformed };
}

/** Reads a command to its end. */
function wholly<Value>(from: WordReader, read: () => Value): Value {
  try {
    const value = read();
    from.end();
    return value;
  } catch (error) {
    from.drop();
    throw error;
  }
}

function decodeCommand(
  opcode: number,
  from: WordReader,
  display: bigint | undefined,
  layer: bigint | undefined,
): DisplaySettings {
  if (display === undefined) throw new MalformedWords("no display is selected");
  const ofLayer = LAYER[opcode], ofDisplay = DISPLAY[opcode];
  if (ofDisplay) return { ...NOTHING, ...ofDisplay(from), display };
  if (!ofLayer) throw new MalformedWords(`there is no command 0x${opcode.toString(16)}`);
  if (layer === undefined) throw new MalformedWords("no layer is selected");
  return { ...NOTHING, display, layers: [{ ...ofLayer(from), layer }] };
}

const NOTHING = {
  layers: [],
  validateDisplay: false,
  acceptDisplayChanges: false,
  presentDisplay: false,
  presentOrValidateDisplay: false,
};

function bufferOf(from: WordReader) {
  const slot = from.s32(), handle = from.buffer();
  return { slot, handle, fence: from.fence() };
}

function rectOf(next: () => number) {
  return { left: next(), top: next(), right: next(), bottom: next() };
}
