import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import type { ComparedPiece } from "../compare/contents/piece.ts";
import { piecesOf, sizeOf } from "../compare/contents/piece.ts";
import { wholeOf } from "../trim/capture.ts";
import { signalLines } from "../trim/restoring.ts";
import {
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_IMAGE_TILING_LINEAR,
  VK_QUEUE_GRAPHICS_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import type { LivingState } from "./living_state.ts";
import type { RingFolder } from "./ring_folder.ts";

/** Contents in a file of the ring. */
export interface Kept {
  /** The piece that the contents belong to. */
  readonly piece: ComparedPiece;
  /** The number of the file; absent where only the layouts are known. */
  readonly data?: string;
  /** The VkImageLayout of each layer of the piece. */
  readonly layouts: readonly number[];
  /** The place of a buffer in memory that the program maps. */
  readonly home?: { readonly memory: string; readonly start: number };
}

/** The state of a device with its queue that copies. */
export interface DeviceState {
  readonly device: string;
  readonly queue: string;
  readonly family: number;
  readonly kept: readonly Kept[];
  /** The calls that bring fences, semaphores and events into their state. */
  readonly sync: readonly RecordedCall[];
}

/** The state of a program between two lines, from which a recording can begin. */
export interface RingState {
  /** The lines that make the living objects. */
  readonly objects: readonly RecordedLine[];
  /** The commands of the living command buffers. */
  readonly commands: readonly RecordedLine[];
  readonly devices: readonly DeviceState[];
  /** The buffers and images whose contents are not known, and why. */
  readonly unsaved: Readonly<Record<string, string>>;
}

/** A state that was saved, with the numbers of its contents. */
export interface Saving {
  readonly state: RingState;
  readonly needed: readonly string[];
}

/** The queue of a device that copies, by name. */
export interface Place {
  readonly device: string;
  readonly queue: string;
  readonly family: number;
}

/** The device's side of a checkpoint. */
export interface Reader {
  /** The VkQueueFlags of a queue family. */
  flags(device: string, family: number): number;
  /** Returns why a buffer or image cannot be copied; `undefined` if it can. */
  refusal(resource: string): string | undefined;
  /** Reads pieces; `undefined` if the device has not come to an end in time. */
  read(place: Place, pieces: readonly ComparedPiece[]): Uint8Array<ArrayBuffer>[] | undefined;
}

/** The saved contents of a piece: the number of the file, its bytes, and the layers of an image. */
interface Known {
  readonly data: string;
  readonly size: number;
  readonly layers: string;
}

/** The saved contents of buffers and images. Only those that were written since are read again. */
export class Checkpoints {
  readonly #living: LivingState;
  readonly #folder: RingFolder;
  readonly #reader: Reader;
  /** The latest contents of each piece, by the piece's name. */
  #known = new Map<string, Known>();

  /** Nothing is saved yet. */
  constructor(living: LivingState, folder: RingFolder, reader: Reader) {
    this.#living = living;
    this.#folder = folder;
    this.#reader = reader;
  }

  /** The device and the queue that copy, by device, if the program got any queue. */
  places(): Place[] {
    const { resources } = this.#living.tracker;
    return resources.named(/^VkDevice#/).flatMap((device) => {
      const all = resources.queuesOf(device).map((queue) => {
        const { args } = resources.call(queue)!, family = args.queueFamilyIndex ?? args.pQueueInfo?.queueFamilyIndex;
        return { device, queue, family: family as number };
      });
      const drawing = all.find(({ family }) => (this.#reader.flags(device, family) & VK_QUEUE_GRAPHICS_BIT) !== 0);
      return drawing ?? all[0] ?? [];
    });
  }

  /** Saves the state now. `limit` is the number of bytes that contents may have. `undefined` if a device is busy. */
  save(limit: number): Saving | undefined {
    const unsaved: Record<string, string> = {}, known = new Map<string, Known>(), devices: DeviceState[] = [];
    let room = [...this.#known.values()].reduce((left, { size }) => left - size, limit);
    for (const place of this.places()) {
      const pieces = this.#piecesOf(place.device, unsaved);
      const stale = pieces.filter((each) => this.#canRead(each, unsaved) && this.#isStale(each));
      const wanted = fitting(stale, (piece) => sizeOf(piece, this.#living.tracker), room, unsaved);
      const read = this.#reader.read(place, wanted);
      if (!read) return undefined;
      wanted.forEach((piece, index) => {
        const size = read[index].length;
        room -= size;
        known.set(piece.name, { ...this.#folder.keep(read[index]), size, layers: layersOf(piece) });
      });
      for (const piece of pieces) {
        const old = this.#known.get(piece.name);
        if (old && !stale.includes(piece)) known.set(piece.name, old);
      }
      devices.push({ ...place, kept: pieces.flatMap((piece) => this.#kept(piece, known)), sync: this.#sync(place) });
    }
    this.#known = known;
    this.#living.dirty.clear();
    const objects = this.#living.objects(), commands = this.#living.commands();
    const needed = [...known.values()].map(({ data }) => data);
    return { state: { objects, commands, devices, unsaved }, needed: [...needed, ...dataIn([objects, commands])] };
  }

  #sync({ device, queue }: Place): RecordedCall[] {
    return signalLines(device, queue, this.#living.tracker.flow.sync);
  }

  /** All buffers and images of a device that have contents. */
  #piecesOf(device: string, unsaved: Record<string, string>): ComparedPiece[] {
    const { tracker } = this.#living, names = tracker.resources.byDevice().get(device) ?? [];
    const { readable, unread } = piecesOf(names.flatMap((name) => wholeOf(tracker, name)), tracker);
    for (const [name, reason] of unread) unsaved[name] = reason;
    return [...readable];
  }

  /** Between two frames an image of a swapchain is the window system's: only its layout is known. */
  #canRead({ resource, image }: ComparedPiece, unsaved: Record<string, string>): boolean {
    if (this.#living.tracker.resources.call(resource)?.command === "vkGetSwapchainImagesKHR") return false;
    const refusal = (image?.samples ?? 1) > 1
      ? "an image with several samples cannot be copied"
      : this.#reader.refusal(resource);
    if (refusal !== undefined) unsaved[resource] = refusal;
    return refusal === undefined;
  }

  #isStale(piece: ComparedPiece): boolean {
    const known = this.#known.get(piece.name), info = this.#living.tracker.resources.info(piece.resource) ?? {};
    return known?.layers !== layersOf(piece) || this.#living.dirty.has(piece.resource) || isHidden(info);
  }

  #kept(piece: ComparedPiece, known: ReadonlyMap<string, { readonly data: string }>): Kept[] {
    const { layouts, bindings } = this.#living.tracker, { image, resource } = piece, data = known.get(piece.name)?.data;
    const now = image?.layers.map((layer) => layouts.of(resource, image.level, layer)!) ?? [];
    const home = image ? undefined : bindings.of(resource), isMapped = home && this.#living.mapped.has(home.memory);
    if (!image && data === undefined) return [];
    return [{ piece, data, layouts: now, ...isMapped && { home: { memory: home.memory, start: home.start } } }];
  }
}

/** Whether shaders may write to a buffer by its address, or the host to an image. No line says so. */
function isHidden({ usage = 0, tiling }: Fields): boolean {
  return (Number(usage) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) !== 0 || tiling === VK_IMAGE_TILING_LINEAR;
}

function layersOf({ image }: ComparedPiece): string {
  return `${image?.layers ?? ""}`;
}

/** Returns the pieces that have room, small ones first. */
function fitting(
  pieces: readonly ComparedPiece[],
  size: (piece: ComparedPiece) => number,
  room: number,
  unsaved: Record<string, string>,
): ComparedPiece[] {
  const sized = pieces.map((piece) => ({ piece, bytes: size(piece) })).sort((one, other) => one.bytes - other.bytes);
  return sized.filter(({ piece, bytes }) => {
    const fits = bytes <= room;
    if (fits) room -= bytes;
    else unsaved[piece.resource] = `${bytes} bytes are more than the black box has room for; give it more`;
    return fits;
  }).map(({ piece }) => piece);
}

/** The numbers of the contents that lines need. */
function dataIn(value: unknown, found: string[] = []): string[] {
  if (typeof value !== "object" || value === null) return found;
  const { data } = value as { data?: unknown };
  if (typeof data === "string" && Object.keys(value).length === 1) found.push(data);
  else for (const each of Object.values(value)) dataIn(each, found);
  return found;
}
