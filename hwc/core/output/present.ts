import { dropBuffer, holdBuffer } from "../../../wsi/queue/buffer_hold.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { COLOR_MODE } from "../../device_types.ts";
import type { FramePlan } from "../../planes/frame_plan.ts";
import { readsBuffer } from "../../planes/search/layer_facts.ts";
import { BLEND, COMPOSITION, DATASPACE, FORMAT, TRANSFORM } from "../../types.ts";
import { isIdentity, transformColors, transformsColorsOf } from "../../backends/colors/color_matrix.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import type { Compositor } from "../options.ts";
import type { Device } from "../device.ts";
import type { Display } from "../display.ts";
import type { Flip } from "./flip_fence.ts";
import type { Layer } from "../layer.ts";
import type { ScanoutDevice } from "./scanout.ts";

const BLACK = { r: 0, g: 0, b: 0, a: 1 };

/** The buffers and fences that the device reads for a frame. */
interface Gathered {
  readonly layers: ComposeLayer[];
  readonly buffers: GraphicBuffer[];
  readonly fences: { readonly fence: NativeFence; readonly layer: ComposeLayer }[];
  /** The buffer's number, by layer. */
  readonly shown: Map<bigint, bigint>;
}

/** Sends a display's frame on its way. */
export function present(device: Device, display: Display): NativeFence {
  const gathered = gather(display), { counts, plan } = display;
  counts.presented++;
  counts.gpuWork += plan!.gpuWork;
  counts.totalWork += plan!.totalWork;
  const flip = display.virtual ? toOutput(device, display, gathered) : toPanel(device, display, gathered);
  display.releases = releasesOf(display, gathered.shown, flip);
  display.lastShown = gathered.shown;
  display.state = "presented";
  return flip.fence();
}

/** Layers of the frame before whose buffer has made way. */
function releasesOf({ lastShown, layers }: Display, shown: Map<bigint, bigint>, flip: Flip) {
  return [...lastShown].flatMap(([layer, buffer]) =>
    layers.has(layer) && shown.get(layer) !== buffer ? [{ layer, flip }] : []
  );
}

/** Takes what the planes show, from the bottom, out of the layers as they are now. */
function gather(display: Display): Gathered {
  const gathered: Gathered = { layers: [], buffers: [], fences: [], shown: new Map() };
  display.plan!.stack.forEach(({ layer: index }, z) => {
    if (index < 0) addClientTarget(display, z, gathered);
    else addLayer(display.planned[index], z, gathered);
  });
  return gathered;
}

function addClientTarget({ clientTarget, screen }: Display, z: number, { layers, buffers, fences }: Gathered): void {
  if (!clientTarget) return;
  const { buffer, fence, dataspace, damage } = clientTarget;
  const layer: ComposeLayer = {
    buffer,
    dataspace,
    z,
    composition: COMPOSITION.DEVICE,
    blend: BLEND.PREMULTIPLIED,
    planeAlpha: 1,
    transform: TRANSFORM.NONE,
    sourceCrop: { left: 0, top: 0, right: buffer.width, bottom: buffer.height },
    displayFrame: screen,
    name: "client target",
    damage,
  };
  layers.push(layer);
  buffers.push(holdBuffer(buffer));
  if (fence && !fence.poll()) fences.push({ fence: fence.dup(), layer });
}

function addLayer(own: Layer, z: number, { layers, buffers, fences, shown }: Gathered): void {
  const buffer = readsBuffer(own) ? own.buffer : undefined, fence = buffer && own.takeFence();
  const layer = { ...own.copy(), buffer, z };
  layers.push(layer);
  if (fence) fences.push({ fence, layer });
  if (!buffer) return;
  buffers.push(holdBuffer(buffer));
  shown.set(own.id, buffer.id);
}

function toPanel(device: Device, display: Display, { layers, buffers, fences: acquires }: Gathered): Flip {
  const { scanout, idleness, configSwitch, sampler, timing } = display.physical!, flip = scanout.newFlip();
  const now = device.clock.now(), early = BigInt(timing.period) / 2n, readback = display.takeReadback();
  display.readbackFlip = readback && flip;
  const wanted = display.expectedPresentTime;
  display.expectedPresentTime = 0n;
  const plan = display.plan!, { fences, handed } = sortFences(acquires, scanout.device, plan);
  if (readback?.fence) fences.push(readback.fence);
  if (readback) buffers.push(readback.buffer); // given back also with a frame that never appears
  const { compositor } = device, settings = settingsOf(display);
  const compose = (into: GraphicBuffer) => composeScreen(compositor, into, layers, settings);
  const shown = (time: bigint) => {
    if (readback && !scanout.device.readsBack?.(readback.buffer)) compose(readback.buffer);
    if (readback) dropBuffer(buffers.splice(buffers.indexOf(readback.buffer), 1)[0]);
    if (sampler.isEnabled) sampler.sample(time, settings.screen, compose);
    device.flipped(display, time);
  };
  const notBefore = wanted === 0n ? 0n : wanted - early;
  const planned = plannedOf(display);
  const frame = {
    layers,
    buffers,
    fences,
    handed,
    flip,
    queued: now,
    notBefore,
    plan,
    planned,
    colors: transformsByDevice(display) && plan.target === undefined ? display.colorTransform : undefined,
    contentType: display.contentType,
    readback: readback?.buffer,
    shown,
  };
  if (display.isOn) scanout.queue(frame);
  else scanout.skip(frame);
  idleness.frame(display.flatten === "done");
  configSwitch.frame();
  return flip;
}

/** Divides fences into those that are waited for here and those that the screen waits for itself. */
function sortFences(acquires: Gathered["fences"], device: ScanoutDevice | undefined, plan: FramePlan) {
  const fences: NativeFence[] = [], handed = new Map<number, NativeFence>();
  for (const { fence, layer } of acquires) {
    if (device?.takesFence?.(fence, layer, plan)) handed.set(layer.z, fence);
    else fences.push(fence);
  }
  return { fences, handed };
}

function toOutput(device: Device, display: Display, { layers, buffers, fences: acquires }: Gathered): Flip {
  const output = display.output!, virtual = display.virtual!, flip = virtual.newFlip(), settings = settingsOf(display);
  const plan = display.plan!, { fences, handed } = sortFences(acquires, virtual.device, plan);
  if (output.fence && !output.fence.poll()) fences.push(output.fence.dup());
  const isThere = layers.length === 1 && layers[0].buffer?.id === output.buffer.id;
  buffers.push(holdBuffer(output.buffer));
  virtual.queue({
    layers,
    fences,
    handed,
    buffers,
    flip,
    plan,
    planned: plannedOf(display),
    queued: device.clock.now(),
    output: output.buffer,
    isThere,
    write: () => composeScreen(device.compositor, output.buffer, layers, settings),
  });
  return flip;
}

/** The plan's layers: their handles and their buffers. */
function plannedOf({ planned }: Display) {
  return planned.map(({ id: handle, buffer }) => ({ handle, buffer: buffer?.id }));
}

/** Whether the screen does the display's colour transform, unless the client composes a layer. */
export function transformsByDevice({ colorTransform, model, physical }: Display): boolean {
  if (isIdentity(colorTransform) || model.outputColorTransform) return false;
  return physical?.scanout.device.takesColors?.(colorTransform) === true;
}

/** The composition of a display's picture from its layers. */
export interface ScreenSettings {
  readonly dataspace: number;
  readonly matrix: readonly number[];
  readonly isVirtual: boolean;
  readonly screen: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
}

/** The settings of a display as they are now. */
export function settingsOf({ colorMode, colorTransform, virtual, screen }: Display): ScreenSettings {
  return { dataspace: dataspaceOf(colorMode), matrix: colorTransform, isVirtual: virtual !== undefined, screen };
}

/** Puts a frame's layers together as the display shows them. */
export function composeScreen(
  compositor: Compositor,
  into: GraphicBuffer,
  layers: readonly ComposeLayer[],
  { dataspace, matrix, isVirtual }: ScreenSettings,
): void {
  const options = { dataspace, ...(isVirtual ? {} : { background: BLACK }) };
  if (isIdentity(matrix)) return void compositor(into, layers, options);
  if (transformsColorsOf(into)) {
    compositor(into, layers, options);
    return transformColors(into, matrix);
  }
  using picture = allocateBuffer({ width: into.width, height: into.height, format: FORMAT.RGBA_8888, usage: CPU });
  const settings = { dataspace, matrix, isVirtual, screen: wholeOf(picture) };
  composeScreen(compositor, picture, layers, settings);
  compositor(into, [{ ...pictureLayer(picture), dataspace }], options);
}

const CPU = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;

function wholeOf({ width, height }: GraphicBuffer) {
  return { left: 0, top: 0, right: width, bottom: height };
}

/** A layer that copies a buffer. */
function pictureLayer(buffer: GraphicBuffer): Omit<ComposeLayer, "dataspace"> {
  const whole = wholeOf(buffer), copy = { blend: BLEND.NONE, planeAlpha: 1, transform: TRANSFORM.NONE, z: 0 };
  return { buffer, composition: COMPOSITION.DEVICE, ...copy, sourceCrop: whole, displayFrame: whole };
}

/** The dataspace of the pixels in a colour mode; UNKNOWN where nothing is converted. */
export function dataspaceOf(colorMode: number): number {
  if (colorMode === COLOR_MODE.SRGB) return DATASPACE.V0_SRGB;
  if (colorMode === COLOR_MODE.DISPLAY_P3) return DATASPACE.DISPLAY_P3;
  return DATASPACE.UNKNOWN;
}
