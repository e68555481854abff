/**
 * Finds where two drivers part: replays a recording on both, each in a process
 * of its own, compares what the GPU wrote after every submission, and finds the
 * first command whose result differs.
 *
 * Needs `--allow-run` for Deno itself, besides what loading drivers needs.
 *
 * @example Compare two drivers
 * ```ts ignore
 * import { compareDrivers } from "@pumice/gfx/compare";
 *
 * const { finding } = await compareDrivers("frame.jsonl", [
 *   { driver: "libvulkan_lvp.so" },
 *   { driver: "libvk_swiftshader.so" },
 * ]);
 * console.log(finding?.action ?? "no difference");
 * ```
 *
 * @module
 */
export { compareDrivers, type CompareOptions } from "./compare/compare_drivers.ts";
export {
  type ReducedRecording,
  type ReduceOptions,
  reduceRecording,
  type ScriptOutcome,
} from "./reduce/reduce_recording.ts";
export { type RecordedDevice, type RecordingGap, type RecordingInfo, recordingInfo } from "./trim/info.ts";
export type { FrameEndKind } from "./trim/frames.ts";
export { type ReadDifference, type VerifiedRecording, type VerifyOptions, verifyRecording } from "./trim/verify.ts";
export { type TrimmedRecording, type TrimOptions, trimRecording } from "./trim/trim.ts";
export { findingPage, type FindingPageOptions } from "./compare/report/page.ts";
export { comparisonText, findingText } from "./compare/report/text.ts";
export type { BoundResource, BoundShader, BoundState } from "./compare/bound_state.ts";
export type { ComparedDriver } from "./compare/driver_process/side.ts";
export type { DriverIdentity } from "./compare/driver_process/protocol.ts";
export type { OnCut } from "./compare/bisect.ts";
export type { FormatTolerance } from "./compare/contents/tolerance.ts";
export type { ByteDifference, TexelDifference } from "./compare/contents/difference.ts";
export type { ComparedPiece } from "./compare/contents/piece.ts";
export type { ImageAspect } from "../../loader/texels/format.ts";
export type {
  DifferingAction,
  DriverComparison,
  DriverDifference,
  PieceContents,
  PieceDifference,
} from "./compare/finding.ts";
export { openRecording, pixelHistory } from "./view/open_recording.ts";
export type {
  Contents as EventContents,
  ContentsRequest,
  DrawNumbers,
  DropReason,
  EventKind,
  EventShader,
  EventState,
  OpenRecording,
  OpenRecordingOptions,
  Overdraw,
  OverdrawRequest,
  PixelHistory,
  PixelStep,
  RecordingEvent,
  ShaderLanguage,
  SideNumber,
  TexelPlace,
  VertexOutput,
  VertexOutputs,
  VertexOutputsRequest,
} from "./view/types.ts";
export type { ShaderDescriptor, ShaderReflection, ShaderVariable } from "./view/reflection.ts";
