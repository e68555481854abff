import { coreName } from "../../record/commands.ts";
import {
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_QUERY_TYPE_OCCLUSION,
} from "../../../../loader/gen/enums_core_gen.js";
import type { ImageAspect } from "../../../../loader/texels/format.ts";
import { barriersOf, isDispatch, isDraw, storageOf, transferOf } from "../../state_tracker/effects.ts";
import type { Fields } from "../../record/line.ts";
import type { Queries } from "../../state_tracker/queries.ts";
import type { Executed } from "../../state_tracker/state_tracker.ts";
import type { BufferRange } from "../../state_tracker/memory_bindings.ts";
import type { LooseBox } from "./boxes.ts";
import { UNDEFINED } from "./permitted_difference.ts";
import { noteClears, noteDraw, notePassBegin, notePassEnd } from "./passes.ts";
import { phaseOf, Places } from "./places.ts";
import { slicesOf } from "./slices.ts";
import { type Noting, TRANSFER_NOTES } from "./transfers.ts";
import type { ComparedPiece } from "../contents/piece.ts";

/** The surroundings on which permitted differences depend, besides the commands. */
export interface PermittedDifferenceOptions {
  /** Whether contents that a barrier leaves undefined are cleared for the comparison. */
  readonly clears: (commandBuffer: string, barrier: Fields) => boolean;
  /** Returns the number of recorded bytes. */
  readonly sizeOf: (bytes: Fields) => number;
}

const PASS_BEGINS = /^vkCmdBegin(RenderPass2?|Rendering)$/, PASS_ENDS = /^vkCmdEnd(RenderPass2?|Rendering)$/;

/**
 * Follows which contents drivers may choose: what they compute may differ by a
 * tolerance, what is undefined by anything. Copies carry that along. The rest,
 * and what was only copied, is the same bytes on all drivers.
 */
export class PermittedDifferences {
  readonly #places = new Places();
  readonly #options: PermittedDifferenceOptions;

  /** Makes permitted differences under which everything is the same, since memory is zero at first. */
  constructor(options: PermittedDifferenceOptions) {
    this.#options = options;
  }

  /** Returns the boxes of a layer of an image in which drivers have permitted difference; the last one counts. */
  ofImage(image: string, level: number, layer: number, aspect: ImageAspect): readonly LooseBox[] {
    return this.#places.boxes(image, `${level} ${layer} ${aspect}`).all;
  }

  /** Returns the boxes of a buffer, in which x counts bytes. */
  ofBuffer(buffer: string): readonly LooseBox[] {
    return this.#places.boxes(buffer).all;
  }

  /** Notes that the program itself wrote into buffers, which have the same bytes everywhere then. */
  written(ranges: readonly BufferRange[]): void {
    for (const range of ranges) this.#places.define(range);
  }

  /** Notes the end of an object. */
  forget(name: string): void {
    this.#places.forget(name);
  }

  /** Notes the effects of a command, before it is carried out. `queries` are as they are then. */
  note(executed: Executed, queries: Queries): void {
    const { call: { command, args }, scene } = executed, core = coreName(command);
    const noting: Noting = { places: this.#places, resources: scene.resources }, transfer = core.replace(/2$/, "");
    if (isDraw(core)) noteDraw(noting, executed);
    if (isDraw(core) || isDispatch(core)) noteStorage(noting, executed, isDraw(core));
    else if (PASS_BEGINS.test(core)) notePassBegin(noting, executed);
    else if (PASS_ENDS.test(core)) notePassEnd(noting, executed);
    else if (core === "vkCmdClearAttachments") noteClears(noting, executed);
    else if (core === "vkCmdCopyQueryPoolResults") noteAnswers(noting, args, queries);
    else if (core === "vkCmdFillBuffer") this.#define(args, args.size);
    else if (core === "vkCmdUpdateBuffer") this.#define(args, this.#options.sizeOf(args.pData));
    else if (TRANSFER_NOTES[transfer]) TRANSFER_NOTES[transfer](noting, transferOf(args));
    else for (const barrier of barriersOf(args)) this.#leave(noting, args.commandBuffer, barrier);
  }

  #define({ dstBuffer, dstOffset }: Fields, size: unknown): void {
    const from = Number(dstOffset);
    this.#places.define({ buffer: dstBuffer, from, to: from + Number(size) });
  }

  /** Notes what a barrier leaves undefined. */
  #leave({ places, resources }: Noting, commandBuffer: string, barrier: Fields): void {
    const { image, subresourceRange, oldLayout, newLayout, srcQueueFamilyIndex, dstQueueFamilyIndex } = barrier;
    if (oldLayout !== VK_IMAGE_LAYOUT_UNDEFINED || newLayout === oldLayout) return;
    if (srcQueueFamilyIndex !== dstQueueFamilyIndex) return; // the other half of a transfer says the same
    const isCleared = this.#options.clears(commandBuffer, barrier);
    for (const slice of slicesOf(resources, resources.part(image, subresourceRange))) {
      if (isCleared) places.define(slice);
      else places.loosen(slice, UNDEFINED);
    }
  }
}

/** Notes a copy of queries' answers: of those that are not precise, only zero has a meaning. */
function noteAnswers({ places, resources }: Noting, args: Fields, queries: Queries): void {
  const { queryPool, firstQuery, queryCount, dstBuffer: buffer, dstOffset, stride, flags = 0 } = args;
  const isOcclusion = resources.info(queryPool)?.queryType === VK_QUERY_TYPE_OCCLUSION;
  const size = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4,
    numbers = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 2 : 1;
  for (let index = 0; index < queryCount; index++) {
    const from = Number(dstOffset) + index * Number(stride), count = { is: "count", size } as const;
    places.define({ buffer, from, to: from + size * numbers });
    if (!isOcclusion || queries.isPrecise(queryPool, firstQuery + index)) continue;
    places.loosen({ buffer, from, to: from + size }, count, phaseOf(from, count));
  }
}

/** Notes that shaders may compute all texels of storage images. Bytes of buffers are the same everywhere. */
function noteStorage({ places, resources }: Noting, { scene }: Executed, isGraphics: boolean): void {
  const point = isGraphics ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
  for (const write of storageOf(point, scene)) {
    if ("image" in write) { for (const slice of slicesOf(resources, write)) places.compute(slice); }
  }
}

/** A box of a piece in which drivers have permitted difference. Of two boxes the later one counts. */
export interface LoosePart extends LooseBox {
  /** Index among the layers of the piece; 0 for buffers. */
  readonly layer: number;
}

/** Returns the boxes of a piece in which drivers have permitted difference. */
export function looseParts(
  { resource, image }: ComparedPiece,
  permittedDifferences: PermittedDifferences,
): LoosePart[] {
  if (!image) return permittedDifferences.ofBuffer(resource).map((each) => ({ ...each, layer: 0 }));
  return image.layers.flatMap((layer, index) =>
    permittedDifferences.ofImage(resource, image.level, layer, image.aspect).map((each) => ({ ...each, layer: index }))
  );
}
