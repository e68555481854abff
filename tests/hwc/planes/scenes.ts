/**
 * Layers for the tests of planes, and the scenes Android's hardware composers
 * are asked to be ready for.
 *
 * @module
 */
import type { PlaneLayer } from "../../../hwc/planes/plane.ts";
import { BLEND, COMPOSITION, FORMAT, type Rect } from "../../../hwc/types.ts";

/** A rectangle by its edges. */
export function rect(left: number, top: number, right: number, bottom: number): Rect {
  return { left, top, right, bottom };
}

/** A layer of the frame's size, opaque unless told otherwise. */
export function layerAt(name: string, z: number, frame: Rect, more: Partial<PlaneLayer> = {}): PlaneLayer {
  const width = frame.right - frame.left, height = frame.bottom - frame.top;
  return {
    name,
    z,
    buffer: { width, height, format: FORMAT.RGBX_8888, usage: 0n },
    composition: COMPOSITION.DEVICE,
    blend: BLEND.NONE,
    planeAlpha: 1,
    transform: 0,
    sourceCrop: rect(0, 0, width, height),
    displayFrame: frame,
    dataspace: 0,
    ...more,
  };
}

/** As {@linkcode layerAt}, with pixels that let what is below through. */
export function translucentAt(name: string, z: number, frame: Rect, more: Partial<PlaneLayer> = {}): PlaneLayer {
  const layer = layerAt(name, z, frame);
  return { ...layer, buffer: { ...layer.buffer!, format: FORMAT.RGBA_8888 }, blend: BLEND.PREMULTIPLIED, ...more };
}

/** A video of a size, scaled to a frame. */
export function videoAt(z: number, frame: Rect, width: number, height: number, more: Partial<PlaneLayer> = {}) {
  const buffer = { width, height, format: FORMAT.YCBCR_420_888, usage: 0n };
  return layerAt("video", z, frame, { buffer, sourceCrop: rect(0, 0, width, height), ...more });
}

/** A telephone held upright. */
export const PORTRAIT = rect(0, 0, 1080, 1920);
/** The same, turned. */
export const LANDSCAPE = rect(0, 0, 1920, 1080);

const STATUS = rect(0, 0, 1080, 72), NAVIGATION = rect(0, 1776, 1080, 1920);

/** A live wallpaper larger than the screen, the launcher's icons, status bar and system bar. */
export function homeScreen(): PlaneLayer[] {
  const wallpaper = layerAt("wallpaper", 0, PORTRAIT, {
    buffer: { width: 2160, height: 1920, format: FORMAT.RGBX_8888, usage: 0n },
    sourceCrop: rect(540, 0, 1620, 1920),
  });
  return [
    wallpaper,
    translucentAt("launcher", 1, PORTRAIT),
    translucentAt("status bar", 2, STATUS),
    translucentAt("system bar", 3, NAVIGATION, { planeAlpha: 0.8 }),
  ];
}

/** A game that covers the screen, upright. */
export function portraitGame(): PlaneLayer[] {
  return [layerAt("game", 0, PORTRAIT)];
}

/** The same across, drawn at two thirds of the size. */
export function landscapeGame(): PlaneLayer[] {
  const buffer = { width: 1280, height: 720, format: FORMAT.RGBA_8888, usage: 0n };
  return [layerAt("game", 0, LANDSCAPE, { buffer, sourceCrop: rect(0, 0, 1280, 720), blend: BLEND.PREMULTIPLIED })];
}

/** A video over the whole screen with captions and playback controls. */
export function fullScreenVideo(more: Partial<PlaneLayer> = {}): PlaneLayer[] {
  return [
    videoAt(0, LANDSCAPE, 1280, 720, more),
    translucentAt("captions", 1, rect(320, 900, 1600, 1000)),
    translucentAt("controls", 2, rect(0, 960, 1920, 1080), { planeAlpha: 0.5 }),
  ];
}

/** Two applications beside each other, with bars. */
export function splitScreen(): PlaneLayer[] {
  return [
    layerAt("upper", 0, rect(0, 72, 1080, 920)),
    layerAt("lower", 1, rect(0, 928, 1080, 1776)),
    layerAt("divider", 2, rect(0, 920, 1080, 928)),
    translucentAt("status bar", 3, STATUS),
    translucentAt("system bar", 4, NAVIGATION),
  ];
}
