export { ComposerViewer, composerViewer } from "./composer_viewer.ts";
export { FrameWatch, type FrameWatchOptions, watchFrames } from "./watch/frame_watch.ts";
export type { ComposerViewerOptions } from "./options.ts";
export type { DisplayCounts, DisplayLayer, DisplayPlane, DisplayReport, FrameTimes } from "./watch/report.ts";
