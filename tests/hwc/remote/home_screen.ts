import type { LayerOptions, SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { blank, BLUE, flat, RED, reference } from "../flinger/stage.ts";

/** Makes layers that are drawn in one colour. */
export interface LayerMaker {
  layer(
    name: string,
    size: readonly [width: number, height: number],
    color: readonly number[],
    more?: LayerOptions,
  ): SurfaceLayer;
}

/** Four layers as on a home screen. */
export function homeScreen(stage: LayerMaker): SurfaceLayer[] {
  return [
    stage.layer("wallpaper", [64, 24], BLUE, { z: 0, crop: { left: 16, top: 0, right: 48, bottom: 24 } }),
    stage.layer("launcher", [32, 24], [40, 20, 60, 128], { z: 1 }),
    stage.layer("status", [32, 2], [9, 9, 9, 255], { z: 2 }),
    stage.layer("navigation", [16, 3], RED, { z: 3, position: { x: 8, y: 21 }, alpha: 0.6 }),
  ];
}

/** The pixels of the home screen, with a colour on its status bar. */
export function expected(status: readonly number[]): number[] {
  using wallpaper = blank(64, 24), launcher = blank(), bar = blank(32, 2), navigation = blank(16, 3);
  const at = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });
  return reference([
    flat(wallpaper, BLUE, 0, { sourceCrop: at(16, 0, 48, 24), displayFrame: at(0, 0, 32, 24) }),
    flat(launcher, [40, 20, 60, 128], 1),
    flat(bar, status, 2),
    flat(navigation, RED, 3, { displayFrame: at(8, 21, 24, 24), planeAlpha: 0.6 }),
  ]);
}
