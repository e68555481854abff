export type { LayerState } from "./layers/layer_state.ts";
export type { FlingerRelease } from "./frame/make_frame.ts";
export type { DisplayInfo, FlingerStatistics, SurfaceFlingerOptions, VirtualDisplayOptions } from "./options.ts";
export type { VirtualMode } from "./displays/output_window.ts";
export type { Renderer } from "./client/renderer.ts";
export { SurfaceFlinger } from "./surface_flinger.ts";
export type { LatchedFrame, LayerOptions, SurfaceLayer } from "./layers/surface_layer.ts";
export { Transaction } from "./layers/transaction.ts";
