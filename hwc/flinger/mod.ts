export type { LayerState } from "./layer_state.ts";
export type { FlingerRelease } from "./make_frame.ts";
export type { DisplayInfo, FlingerStatistics, SurfaceFlingerOptions, VirtualDisplayOptions } from "./options.ts";
export type { VirtualMode } from "./output_window.ts";
export type { Renderer } from "./renderer.ts";
export { SurfaceFlinger } from "./surface_flinger.ts";
export type { LatchedFrame, LayerOptions, SurfaceLayer } from "./surface_layer.ts";
export { Transaction } from "./transaction.ts";
