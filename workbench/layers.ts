/**
 * Layers that are ready to use: trace every call, count and time calls, inject
 * faults, reduce what a device supports, find leaks, save and replace shaders,
 * record everything and replay it on another driver. Also layers from files
 * that are reloaded when the files are saved. Put them in `layers` of
 * `loadVulkan`, or attach them to an instance.
 *
 * The layers have an entry of their own, so that a script without them starts
 * faster.
 *
 * @example A trace of every call
 * ```ts ignore
 * import { apiTrace } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using trace = apiTrace({ path: "calls.jsonl" });
 * using vulkan = loadVulkan({ layers: [trace.layer] });
 * ```
 *
 * @module
 */
export {
  type ApiProfile,
  apiProfile,
  type ApiProfileOptions,
  type ProfileFrame,
  type ProfileRow,
} from "../loader/layers/shipped/profile/profile.ts";
export {
  type LayerFile,
  type LayerFileOptions,
  type LayerHolder,
  watchLayer,
} from "../loader/layers/define/layer_file.ts";
export { type LayerServer, serveLayers, type ServeLayersOptions } from "./layer_server/serve_layers.ts";
export type { ServedLayers, ServePolicy, ServingOptions } from "./layer_server/served.ts";
export { type ApiTrace, apiTrace, type ApiTraceOptions } from "../loader/layers/shipped/trace/api_trace.ts";
export type {
  TraceCall,
  TraceFields,
  TraceHeader,
  TraceLine,
  TraceReturn,
  TraceValue,
} from "../loader/layers/shipped/trace/line.ts";
export { traceText } from "../loader/layers/shipped/trace/text.ts";
export type { FrameEnd } from "../loader/layers/shipped/frames.ts";
export {
  type FaultInjection,
  faultInjection,
  type FaultInjectionOptions,
  type InjectedFault,
} from "../loader/layers/shipped/faults/fault_injection.ts";
export { type ObjectLeaks, objectLeaks, type ObjectLeaksOptions } from "../loader/layers/shipped/leaks/object_leaks.ts";
export type { LeakedObject, LeakReport } from "../loader/layers/shipped/leaks/report.ts";
export { type DeviceLimits, deviceLimits, type RefusedDevice } from "../loader/layers/shipped/limits/limits.ts";
export { type DeviceTwin, deviceTwin, type DeviceTwinOptions } from "../loader/twin/device_twin.ts";
export type { TwinStrictness } from "../loader/twin/answers.ts";
export type { DeviceSource, SourceChoice } from "../loader/twin/read_source.ts";
export type { TwinRefusal } from "../loader/twin/twin.ts";
export type { DeviceLimitsOptions } from "../loader/layers/shipped/limits/settings.ts";
export type { SomeOf } from "../loader/layers/define/definition.ts";
export { type SpirvDump, spirvDump, type SpirvDumpOptions } from "../loader/layers/shipped/spirv/spirv_dump.ts";
export type { SavedShader } from "../loader/layers/shipped/spirv/folder.ts";
export type { FaultRule } from "../loader/layers/shipped/faults/rule.ts";
export { type ApiRecording, apiRecording, type ApiRecordingOptions } from "./recordings/record/record.ts";
export { type BlackBox, blackBox, type BlackBoxOptions } from "./recordings/black_box/black_box.ts";
export type { SavedBlackBox } from "./recordings/black_box/saved.ts";
export type { UnfinishedCommand } from "./recordings/black_box/unfinished.ts";
export type {
  RecordedBytes,
  RecordedCall,
  RecordedGap,
  RecordedLine,
  RecordedRead,
  RecordedWrite,
  RecordEnd,
  RecordHeader,
  WritesFoundBy,
} from "./recordings/record/line.ts";
export { replayRecording } from "./recordings/replay/replay.ts";
export type {
  ReplayedPresent,
  ReplayedQueries,
  ReplayedRead,
  ReplayedSubmit,
  ReplayOptions,
  ReplayReport,
} from "./recordings/replay/options.ts";
export {
  readRecording,
  type ReadRecordingOptions,
  type RecordedStream,
  writeRecording,
} from "./recordings/replay/stream.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
export { RecordingError, type RecordingErrorCode } from "./recordings/replay/error.ts";
