import type { RecordedCall } from "../record/line.ts";
import type { ImageAspect } from "../../../loader/texels/format.ts";
import type { RecordingGap, RecordingInfo } from "../trim/info.ts";
import type { BoundShader, BoundState } from "../compare/bound_state.ts";
import type { ShaderReflection } from "./reflection.ts";
import type { ComparedDriver } from "../compare/driver_process/side.ts";
import type { DriverIdentity } from "../compare/driver_process/protocol.ts";
import type { ComparedPiece } from "../compare/contents/piece.ts";

/** The kind of a row among the events of a recording: what a reader looks for. */
export type EventKind =
  | "frame"
  | "submission"
  | "command buffer"
  | "pass"
  | "label"
  | "draw"
  | "dispatch"
  | "copy"
  | "clear"
  | "barrier"
  | "state"
  | "host"
  | "present";

/**
 * A row among the events of a recording. The rows are a tree, told in the order in which the device carries them out:
 * frames have submissions, submissions have command buffers, these have passes and labels, and these have commands.
 */
export interface RecordingEvent {
  /** The event's number, from 0, which is its place in the list. */
  readonly id: number;
  /** The event that this one is inside of; `undefined` for a frame. */
  readonly parent: number | undefined;
  /** The number of events around this one: 0 for a frame. */
  readonly depth: number;
  /** The number of events inside, at every depth: they follow in the list at once. */
  readonly inside: number;
  /** The kind of row. */
  readonly kind: EventKind;
  /** The text of the row: a command's name, the text of a label, the name of a command buffer. */
  readonly name: string;
  /** Number of the line in the recording's file, from 1; 0 for a frame. */
  readonly line: number;
  /** The call; `undefined` for a frame and a command buffer. */
  readonly call: RecordedCall | undefined;
  /** Number of the submission, from 0; `undefined` for what is in none. */
  readonly submission: number | undefined;
  /** The number of the submission's actions that are done after this event: what a cut there carries out. */
  readonly actions: number;
  /** Whether the event is an action itself: a command after which something may be written. */
  readonly isAction: boolean;
}

/** One of the drivers, by its number in the list that {@linkcode openRecording} was given. */
export type SideNumber = 0 | 1;

/** The bytes of a buffer or of a level of an image at some event, on one driver. */
export interface Contents {
  /** The buffer, or the level of an image. An image's bytes are those of its layers one after the other, rows without gaps. */
  readonly piece: ComparedPiece;
  /** The bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The contents that are wanted. */
export interface ContentsRequest {
  /** The driver. Default 0. */
  readonly side?: SideNumber;
  /**
   * Names of the only buffers, images and pieces wanted, such as `"VkImage#3"` or `"VkImage#3 level 0 depth"`. Default:
   * those that the event writes and has bound.
   */
  readonly only?: readonly string[];
  /** Whether the contents before the event are wanted. Default: those after. */
  readonly before?: boolean;
}

/** A shader of the pipeline that an event uses. */
export interface EventShader extends BoundShader {
  /** The shader's interface by its code; `undefined` where the recording has no code. */
  readonly reflection?: ShaderReflection;
}

/** A language in which a shader can be told besides SPIR-V. */
export type ShaderLanguage = "glsl" | "wgsl";

/** Everything that decides what an event does, besides its arguments. */
export interface EventState extends BoundState {
  /** The pipeline's shaders. */
  readonly shaders: readonly EventShader[];
}

/** A texel of an image. */
export interface TexelPlace {
  /** The image's name, such as `"VkImage#3"`. */
  readonly image: string;
  /** Texels from the left. */
  readonly x: number;
  /** Texels from the top. */
  readonly y: number;
  /** The slice of an image of three dimensions. Default 0. */
  readonly z?: number;
  /** The mip level. Default 0. */
  readonly level?: number;
  /** The array layer. Default 0. */
  readonly layer?: number;
  /** The sample of a multisampled image. Default 0. */
  readonly sample?: number;
  /** Default: the first aspect of the image's format. */
  readonly aspect?: ImageAspect;
}

/** The reason why a draw left a texel as it was. */
export type DropReason =
  | "not covered"
  | "scissor"
  | "culled"
  | "depth"
  | "stencil"
  | "discarded"
  | "masked"
  | "same value";

/** An event that wrote a texel, or could have. */
export interface PixelStep {
  /** The event. */
  readonly event: RecordingEvent;
  /**
   * The components before the event: red, green, blue, alpha; depth; stencil. Floats are as they are, the rest is the
   * stored whole number: 255 is the most of 8 bits. A block of a compressed format is its bytes. Empty while the layer
   * has no contents.
   */
  readonly before: readonly number[];
  /** The components after the event. */
  readonly after: readonly number[];
  /** Whether the bytes of the texel changed. */
  readonly changed: boolean;
  /** The reason why they did not, for a draw of which it is known. */
  readonly reason?: DropReason;
}

/** The history of a texel on one driver. */
export interface PixelHistory {
  /** The driver, as it tells of itself. */
  readonly driver: DriverIdentity;
  /** The events that could write the texel, in the order in which the device carried them out. */
  readonly steps: readonly PixelStep[];
  /** The parts that could not be followed, as sentences. */
  readonly unknown: readonly string[];
}

/** An output of a vertex shader, and its place among the bytes of a vertex. */
export interface VertexOutput {
  /** The name in the source, `location0` and so on where there is none, or that of a built-in such as `gl_Position`. */
  readonly name: string;
  /** The type of one element, such as `"vec4"` or `"mat3"`. */
  readonly type: string;
  /** The number of elements: 1, or the length of an array. */
  readonly elements: number;
  /** Bytes from the first one of the vertex. */
  readonly offset: number;
}

/** The outputs of the vertex shader of a draw. */
export interface VertexOutputs {
  /** The way of catching the outputs; `"none"` for a draw without vertices. */
  readonly way: "transform feedback" | "stores of the shader" | "none";
  /** The numbers of the draw, as its call or the indirect buffer has them. */
  readonly numbers: DrawNumbers;
  /** The lowest vertex that the draw takes. */
  readonly first: number;
  /** The number of vertices from the lowest to the highest one. */
  readonly count: number;
  /** The outputs; the position of clip space is the first one. */
  readonly outputs: readonly VertexOutput[];
  /** Bytes of a vertex. */
  readonly stride: number;
  /** The vertices from the lowest to the highest one, of one instance after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The numbers of a draw: those of its call, or those that an indirect draw reads. */
export interface DrawNumbers {
  /** Whether the vertices are chosen by an index buffer. */
  readonly isIndexed: boolean;
  /** The number of vertices, or of indices. */
  readonly count: number;
  /** The first vertex, or index. */
  readonly first: number;
  /** Added to each index. */
  readonly vertexOffset: number;
  /** The number of instances. */
  readonly instances: number;
  /** The number of the first instance. */
  readonly firstInstance: number;
}

/** The number of each texel's fragments in a pass, up to an event. */
export interface Overdraw {
  /** Texels of the attachments from left to right. */
  readonly width: number;
  /** Texels of the attachments from top to bottom. */
  readonly height: number;
  /** The fragments of each texel, row by row; those of all layers together. */
  readonly counts: Uint32Array<ArrayBuffer>;
  /** The number of draws whose fragments are counted. */
  readonly draws: number;
  /** The draws that could not be counted as was wanted, as sentences. */
  readonly unknown: readonly string[];
}

/** A choice of fragments for {@linkcode OpenRecording.overdraw}. */
export interface OverdrawRequest {
  /** The driver. Default 0. */
  readonly side?: SideNumber;
  /**
   * Whether only fragments count that pass the tests of depth and stencil. Default: all that are rasterized and not
   * discarded.
   */
  readonly tested?: boolean;
}

/** A choice of outputs for {@linkcode OpenRecording.vertexOutputs}. */
export interface VertexOutputsRequest {
  /** The driver. Default 0. */
  readonly side?: SideNumber;
  /** The number of the draw in an indirect command that has several. Default 0. */
  readonly draw?: number;
}

/** Options of {@linkcode openRecording}. */
export interface OpenRecordingOptions {
  /** The drivers that replay, at most two; without any, only what needs no driver can be asked. */
  readonly drivers?: readonly ComparedDriver[];
  /** Whether to accept a file that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Milliseconds that a driver may take for an answer. Default 60000. */
  readonly timeout?: number;
}

/** A recording that is looked at. */
export interface OpenRecording extends AsyncDisposable {
  /** The facts of the recording as a whole. */
  readonly info: RecordingInfo;
  /** The events, in order. */
  readonly events: readonly RecordingEvent[];
  /** Places that the recorder could not see. */
  readonly gaps: readonly RecordingGap[];
  /** The drivers, as they tell of themselves; in the order of the options. Starts their processes. */
  drivers(): Promise<readonly DriverIdentity[]>;
  /** The objects that are bound at an event, the shaders with their text, the dynamic state. No driver is needed. */
  state(event: number): EventState;
  /**
   * A shader of an event, by its VkShaderStageFlagBits, as GLSL or WGSL: by the program `spirv-cross`, if that is
   * installed, or the package naga-wasm. No driver is needed. Rejects with the reason for what cannot be translated.
   */
  shaderText(event: number, stage: number, language: ShaderLanguage): Promise<string>;
  /** The pieces whose contents can be asked at an event, and why others cannot. No driver is needed. */
  pieces(event: number): { readonly readable: readonly ComparedPiece[]; readonly unread: ReadonlyMap<string, string> };
  /** The contents of buffers and images at an event. */
  contents(event: number, request?: ContentsRequest): Promise<readonly Contents[]>;
  /**
   * Milliseconds of GPU time by event, of each action and of each pass as a whole, by timestamps around them. What a
   * submission carries out more than once has none, nor have commands in passes of several views.
   */
  times(side?: SideNumber): Promise<ReadonlyMap<number, number>>;
  /** Returns the events that wrote a texel, in order. */
  pixelHistory(place: TexelPlace, side?: SideNumber): Promise<PixelHistory>;
  /**
   * The numbers of the draws of a command: those of the call, or those that an indirect command reads, of which there may
   * be none or several. Rejects for commands that draw no vertices.
   */
  draws(event: number, side?: SideNumber): Promise<readonly DrawNumbers[]>;
  /**
   * The outputs of the vertex shader of a draw, by transform feedback or, where the driver has none, by stores that the
   * shader gets. Rejects with the reasons where neither is possible.
   */
  vertexOutputs(event: number, request?: VertexOutputsRequest): Promise<VertexOutputs>;
  /**
   * Returns the number of each texel's fragments, from the beginning of the pass that an event is in up to the event;
   * those of the whole pass for the event that begins a pass. Counts by stores of the fragment shaders; rejects with the
   * reason where that is not possible.
   */
  overdraw(event: number, request?: OverdrawRequest): Promise<Overdraw>;
  /** The first event after which the two drivers differ; `undefined` if none does. */
  firstDifference(): Promise<RecordingEvent | undefined>;
  /** Ends the processes. Twice is harmless. */
  close(): Promise<void>;
}
