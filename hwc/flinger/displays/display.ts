import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { isOver, timeOver } from "../../../wsi/fence/careful_fence.ts";
import { COLOR_MODE, POWER_MODE } from "../../device_types.ts";
import type { Rect } from "../../types.ts";
import { ClientPicture } from "../client/client_picture.ts";
import { ClientTargets } from "../client/client_targets.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { HwcLayer } from "./hwc_layer.ts";
import type { OutputWindow, VirtualMode } from "./output_window.ts";
import type { VisibleLayer } from "../layers/stack.ts";
import { type ShownFrame, StillShown } from "./still_shown.ts";

/** The number of frames in a row that may fail before a display gives its buffers back. */
const MOST_FAILURES = 8;

/** A frame on its way to a display. */
interface OnItsWay {
  readonly fence: NativeFence;
  readonly frames: readonly ShownFrame[];
  /** Called when the frame has appeared: frees the buffers of the frame before. */
  readonly appeared: () => void;
}

/** Counters of a display. */
export interface DisplayCounts {
  /** Frames presented. */
  frames: number;
  /** Number of frames presented without a validation. */
  skippedValidate: number;
  /** Number of frames in which the client composed a layer. */
  clientFrames: number;
  /** The number of frames that failed. */
  failed: number;
  /** Pixels of the display that the client drew. */
  clientPixels: number;
  /** Pixels that the client kept from earlier frames. */
  savedPixels: number;
}

/** A display of either kind, with its state in the compositor. */
export class FlingerDisplay {
  /** The composer's handle; `undefined` for a display that the composer does not know. */
  id: bigint | undefined;
  readonly name: string;
  readonly isPrimary: boolean;
  readonly output: OutputWindow | undefined;
  readonly targets: ClientTargets;
  readonly picture: ClientPicture = new ClientPicture();
  readonly hwcLayers: Map<FlingerLayer, HwcLayer> = new Map();
  /** The layers that the current frame leaves out, because their values were refused. */
  readonly leftOut: Set<FlingerLayer> = new Set();
  /** The reasons for leaving layers out that `log` has had. */
  readonly refusals: Map<FlingerLayer, string> = new Map();
  readonly counts: DisplayCounts = {
    frames: 0,
    skippedValidate: 0,
    clientFrames: 0,
    failed: 0,
    clientPixels: 0,
    savedPixels: 0,
  };
  screen: Rect;
  vsyncPeriod = 16_666_667n;
  layerStack = 0;
  power: number = POWER_MODE.OFF;
  colorMode: number = COLOR_MODE.NATIVE;
  isSecure = true;
  /** Whether the composer is to write the output even where the client could. */
  copiesByHwc = false;
  /** Whether the display itself changed, apart from its layers. */
  isDirty = true;
  /** The time of the vsync at which the display's last frame was made; 0 for none. */
  lastFrame = 0n;
  /** Whether the current frame will be visible, even if it is made for the sake of other displays. */
  isWanted = true;
  /** Whether the composer must validate the display before it is presented. */
  needsValidation = true;
  /** Whether a layer could not be made, so that the client composes all layers. */
  isClients = false;
  /** Whether `log` has had the sentence that the composer has no room for a layer. */
  isFull = false;
  stack: readonly VisibleLayer[] = [];
  wasEmpty = true;
  usesClient = false;
  usesDevice = false;
  mode: VirtualMode = "HWC";
  /** Whether the last frame has reached the composer. */
  isInFrame = false;
  /** Whether the display's output had no buffer the last time. */
  isStarving = false;
  /** The number of frames in a row that failed. */
  #failures = 0;
  readonly #stillShown = new StillShown();
  readonly #onTheirWay: OnItsWay[] = [];
  #last: NativeFence | undefined;

  /** Makes a display that is off, and has no layers. */
  constructor(parts: {
    readonly id: bigint | undefined;
    readonly name: string;
    readonly screen: Rect;
    readonly isPrimary?: boolean;
    readonly output?: OutputWindow;
    readonly forget: ConstructorParameters<typeof ClientTargets>[0];
  }) {
    ({ id: this.id, name: this.name, screen: this.screen, output: this.output } = parts);
    this.isPrimary = parts.isPrimary ?? false;
    this.targets = new ClientTargets(parts.forget);
  }

  /** Whether frames are made for the display. */
  get isActive(): boolean {
    return this.output !== undefined || this.power !== POWER_MODE.OFF && this.power !== POWER_MODE.DOZE_SUSPEND;
  }

  /** The number of frames that have not appeared yet. */
  get pending(): number {
    return this.#onTheirWay.length;
  }

  /** The fence of the last frame. */
  get lastPresent(): NativeFence | undefined {
    return this.#last;
  }

  /**
   * Notes that a frame is on its way, and takes its fence. Layers that the frame does not show any more wait for the
   * fence.
   */
  presented(fence: NativeFence, frames: readonly ShownFrame[]): void {
    for (const frame of this.#stillShown.without(frames)) {
      if (frame.layer.has(frame)) frame.layer.addRelease(fence.dup());
    }
    const appeared = this.#stillShown.replace(frames);
    this.#last?.close();
    this.#last = fence;
    if (this.output) appeared();
    else this.#onTheirWay.push({ fence: fence.dup(), frames, appeared });
    this.#failures = 0;
    for (const layer of this.refusals.keys()) if (!this.leftOut.has(layer)) this.refusals.delete(layer);
    this.counts.frames++;
    if (this.usesClient) this.counts.clientFrames++;
  }

  /** Tells of frames that have appeared. */
  settle(): void {
    while (this.#onTheirWay.length > 0 && isOver(this.#onTheirWay[0].fence)) {
      const { fence, frames, appeared } = this.#onTheirWay.shift()!, time = timeOver(fence);
      for (const { layer, number } of frames) if (time !== undefined) layer.presented(number, time);
      appeared();
      fence.close();
    }
  }

  /**
   * Returns a fence for a frame that a layer gives back although this display still shows the frame; `undefined` if the
   * display does not.
   */
  keeps(frame: ShownFrame): NativeFence | undefined {
    if (!this.#stillShown.has(frame)) return undefined;
    // A window's frame is read once; a panel reads a frame as long as it shows it.
    return this.output ? this.#last?.dup() : this.#stillShown.untilNext();
  }

  /** The number of the frame of a layer that the display was last told to show. */
  shownFrame(layer: FlingerLayer): bigint | undefined {
    return this.#stillShown.number(layer);
  }

  /** Makes the next frame send the composer everything again. */
  resendAll(): void {
    for (const hwc of this.hwcLayers.values()) hwc.forget();
    this.picture.forgetTold();
    this.isDirty = this.needsValidation = true;
  }

  /** Notes that the display reads no buffer any more: it is off, or shows a picture of its own. */
  blank(): void {
    this.#stillShown.clear();
  }

  /** A frame is dropped: the next one says everything again. One that fails and fails is not waited for. */
  dropFrame(): void {
    this.isInFrame = this.wasEmpty = false;
    this.counts.failed++;
    this.output?.cancel();
    this.resendAll();
    if (++this.#failures >= MOST_FAILURES) this.blank();
  }

  /** Frees the display's parts on this side. The composer's parts end with the display. */
  close(): void {
    for (const { fence, appeared } of this.#onTheirWay.splice(0)) {
      appeared();
      fence.close();
    }
    this.blank();
    this.#last?.close();
    this.#last = undefined;
    this.targets.close();
    this.output?.close();
    this.hwcLayers.clear();
    this.leftOut.clear();
    this.refusals.clear();
    this.stack = [];
  }
}
