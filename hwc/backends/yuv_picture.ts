import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import { syncDmaBuf } from "../../wsi/buffer/dma_buf.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { FORMAT, type Rect } from "../types.ts";
import type { ComposeOptions, CompositionReport } from "./backend.ts";
import { withFullRange } from "./colors/dataspace.ts";
import { rgbToYuv } from "./colors/rgb_to_yuv.ts";
import type { ComposeLayer } from "./compose_layer.ts";
import { intersect } from "./plan/rects.ts";
import type { Painter, YuvJob } from "./plan/step.ts";
import { type Surface, surfaceOf } from "./surface.ts";
import { REACH, writeYuv } from "./yuv_target.ts";

const PICTURE_USAGE = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.GPU_RENDER_TARGET | USAGE.GPU_TEXTURE;
const READ_AND_WRITE = 3;

/** Draws layers into an RGB buffer. */
type ComposeRgb = (
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions,
) => CompositionReport;

/** Whether a buffer's pixels are YUV. */
export function isYuv(target: GraphicBuffer): boolean {
  const surface = surfaceOf(target);
  return typeof surface !== "string" && surface.kind === "yuv";
}

/** The RGBA surface that stands for a YUV target until the picture is complete. */
export function pictureFor({ width, height, isProtected }: Surface): Surface {
  const pitch = 4 * width;
  return { address: 0n, size: pitch * height, width, height, pitch, kind: "rgba8888", isProtected };
}

/** Composes into YUV: first in RGBA by full range, then the changed parts become YUV. */
export class YuvPicture {
  readonly #painters: readonly Painter[];
  #picture: GraphicBuffer | undefined;

  /** The painters that draw, of which one may also convert. */
  constructor(painters: readonly Painter[]) {
    this.#painters = painters;
  }

  /** Draws the layers into a YUV buffer. Throws what `rgb` throws. */
  compose(
    rgb: ComposeRgb,
    target: GraphicBuffer,
    layers: readonly ComposeLayer[],
    options: ComposeOptions,
  ): CompositionReport {
    const start = performance.now(), picture = this.#pictureFor(target), surface = surfaceOf(target) as Surface;
    const { dataspace = 0, isProtected = surface.isProtected } = options, { width, height } = surface;
    const whole = { left: 0, top: 0, right: width, bottom: height };
    const rects = (options.damage ?? [whole]).flatMap((rect) => intersect(rect, whole) ?? []);
    const drawn = { ...options, damage: rects.map(grown), dataspace: withFullRange(dataspace), isProtected };
    const report = rgb(picture, layers, drawn);
    const conversion = rgbToYuv(dataspace, width, height, surface.yuv!.wide);
    this.#convert({ picture, from: surfaceOf(picture) as Surface, target, to: surface, rects, conversion });
    return { ...report, milliseconds: performance.now() - start };
  }

  #convert(job: YuvJob): void {
    const { from, to, rects, conversion, target: { memory: { kind, fd } } } = job, isShared = kind === "dma-buf";
    if (rects.length === 0) return;
    if (isShared) syncDmaBuf(fd, READ_AND_WRITE, false);
    try {
      if (!this.#painters.some((painter) => painter.writeYuv?.(job))) writeYuv(from, to, rects, conversion);
    } finally {
      if (isShared) syncDmaBuf(fd, READ_AND_WRITE, true);
    }
  }

  /** Frees the picture. A second call does nothing. */
  close(): void {
    const picture = this.#picture;
    if (picture) { for (const painter of this.#painters) painter.forget?.(picture); }
    picture?.close();
    this.#picture = undefined;
  }

  #pictureFor({ width, height }: GraphicBuffer): GraphicBuffer {
    const known = this.#picture;
    if (known?.width === width && known.height === height) return known;
    this.close();
    return this.#picture = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage: PICTURE_USAGE });
  }
}

/** The pixels that the chroma of a part depends on, too. */
function grown({ left, top, right, bottom }: Rect): Rect {
  return { left: left - REACH, top: top - REACH, right: right + REACH, bottom: bottom + REACH };
}
