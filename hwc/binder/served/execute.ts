import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { COLOR_TRANSFORM } from "../../device_types.ts";
import { isIdentity } from "../../backends/colors/color_matrix.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import { closeHandle } from "./buffer_slots.ts";
import type { GivenBuffer, ServedClient } from "./client.ts";
import { present, type Presented, presentOrValidate, validate, type Validated } from "./frame.ts";
import type { DisplaySettings, LayerSettings } from "../connected/command_queue.ts";
import type { Buffer, CommandResultPayload } from "../gen/composer3_gen.ts";
import { codeOf } from "../errors.ts";

/** `PresentOrValidate.Result`. */
const VALIDATED = 0, PRESENTED = 1;
/** `LayerLifecycleBatchCommandType`. */
const CREATE = 1, DESTROY = 2;
const NO_DIMMING = 0, FULL_BRIGHTNESS = 1;

/** Runs steps of a command; a failure is a result, and does not keep the next steps from being done. */
class Steps {
  readonly results: CommandResultPayload[] = [];
  failed = false;
  readonly #index: number;
  readonly #log: (message: string) => void;

  constructor(index: number, log: (message: string) => void) {
    this.#index = index;
    this.#log = log;
  }

  /** Runs a step for a value that may not be there. */
  async set<Value>(value: Value | null | undefined, step: (value: Value) => unknown): Promise<void> {
    if (value === null || value === undefined) return;
    try {
      await step(value);
    } catch (error) {
      this.failed = true;
      this.#log(`Command ${this.#index} failed: ${error}`);
      this.results.push({ tag: "error", value: { commandIndex: this.#index, errorCode: codeOf(error) } });
    }
  }
}

/** Does a batch of commands, in their order. What they ask for and how they fail is in the results. */
export async function execute(
  client: ServedClient,
  commands: readonly DisplaySettings[],
  log: (message: string) => void,
): Promise<CommandResultPayload[]> {
  const results: CommandResultPayload[] = [];
  for (const [index, command] of commands.entries()) {
    const steps = new Steps(index, log);
    await setState(client, command, steps);
    if (!steps.failed) await runFrame(client, command, steps);
    results.push(...steps.results);
  }
  return results;
}

/** Closes what a layer's command brought that is not done. */
function dropLayer({ buffer, sidebandStream, luts }: LayerSettings): void {
  closeHandle(buffer?.handle);
  closeDescriptor(buffer?.fence ?? -1);
  closeHandle(sidebandStream);
  closeDescriptor(luts?.pfd ?? -1);
}

async function setState(client: ServedClient, command: DisplaySettings, steps: Steps): Promise<void> {
  const display = BigInt.asUintN(64, command.display);
  await steps.set(command.brightness, ({ brightness }) => client.call("setDisplayBrightness", display, brightness));
  for (const layer of command.layers) await setLayer(client, display, layer, steps);
  await steps.set(command.colorTransformMatrix, (matrix) => {
    const kind = isIdentity(matrix) ? COLOR_TRANSFORM.IDENTITY : COLOR_TRANSFORM.ARBITRARY_MATRIX;
    return client.call("setColorTransform", display, matrix, kind);
  });
  await steps.set(command.clientTarget, ({ buffer, dataspace, damage }) => {
    return client.setClientTarget(display, given(buffer), dataspace, damage);
  });
  await steps.set(command.virtualDisplayOutputBuffer, (buffer) => client.setOutputBuffer(display, given(buffer)));
  await steps.set(command.expectedPresentTime, ({ timestampNanos }) => {
    return client.call("setExpectedPresentTime", display, timestampNanos);
  });
}

function given({ slot, handle, fence }: Buffer): GivenBuffer {
  return { slot, handle: handle ?? null, fence: fence ?? -1 };
}

/** Sets a layer's state. The composition comes first: colours and cursors are for layers of their kind. */
async function setLayer(client: ServedClient, display: bigint, command: LayerSettings, steps: Steps): Promise<void> {
  const layer = BigInt.asUintN(64, command.layer), lifecycle = command.layerLifecycleBatchCommandType;
  if (lifecycle === CREATE || lifecycle === DESTROY) {
    dropLayer(command);
    return await steps.set(lifecycle, () => refuse(ERROR.UNSUPPORTED, "layers are made by createLayer() here"));
  }
  await steps.set(command.composition, ({ composition }) => {
    return client.call("setLayerCompositionType", display, layer, composition);
  });
  await steps.set(command.cursorPosition, ({ x, y }) => client.call("setCursorPosition", display, layer, x, y));
  await steps.set(command.bufferSlotsToClear, (slots) => client.clearLayerSlots(display, layer, slots));
  await steps.set(command.buffer, (buffer) => client.setLayerBuffer(display, layer, given(buffer)));
  await steps.set(command.damage, (damage) => client.call("setLayerSurfaceDamage", display, layer, damage));
  await steps.set(command.blendMode, ({ blendMode }) => client.call("setLayerBlendMode", display, layer, blendMode));
  await steps.set(command.color, (color) => client.call("setLayerFloatColor", display, layer, color));
  await steps.set(command.dataspace, ({ dataspace }) => client.call("setLayerDataspace", display, layer, dataspace));
  await steps.set(command.displayFrame, (frame) => client.call("setLayerDisplayFrame", display, layer, frame));
  await steps.set(command.planeAlpha, ({ alpha }) => client.call("setLayerPlaneAlpha", display, layer, alpha));
  await steps.set(command.sidebandStream, (stream) => {
    closeHandle(stream);
    return client.call("setLayerSidebandStream", display, layer, streamOf(stream.ints));
  });
  await steps.set(command.sourceCrop, (crop) => client.call("setLayerSourceCrop", display, layer, crop));
  await steps.set(command.transform, ({ transform }) => client.call("setLayerTransform", display, layer, transform));
  await steps.set(command.visibleRegion, (region) => client.call("setLayerVisibleRegion", display, layer, region));
  await steps.set(command.z, ({ z }) => client.call("setLayerZOrder", display, layer, z >>> 0));
  await steps.set(command.colorTransform, (matrix) => client.call("setLayerColorTransform", display, layer, matrix));
  await steps.set(
    command.brightness,
    ({ brightness }) => client.call("setLayerBrightness", display, layer, brightness),
  );
  await steps.set(command.perFrameMetadata, (all) => client.call("setLayerPerFrameMetadata", display, layer, all));
  await steps.set(command.perFrameMetadataBlob, (all) => {
    return client.call("setLayerPerFrameMetadataBlobs", display, layer, all);
  });
  await steps.set(command.blockingRegion, (region) => client.call("setLayerBlockingRegion", display, layer, region));
  await steps.set(command.genericMetadata, ({ key, mandatory, value }) => {
    return client.call("setLayerGenericMetadata", display, layer, key, mandatory, value);
  });
  await steps.set(command.luts, ({ pfd }) => {
    closeDescriptor(pfd ?? -1);
    refuse(ERROR.UNSUPPORTED, "layers have no tables of colours here");
  });
}

/** A stream by its number, which goes over as the two words of it. */
function streamOf(ints: readonly number[]): bigint {
  const [low = 0, high = 0] = ints;
  return BigInt(high >>> 0) << 32n | BigInt(low >>> 0);
}

async function runFrame(client: ServedClient, command: DisplaySettings, steps: Steps): Promise<void> {
  const display = BigInt.asUintN(64, command.display), { results } = steps;
  await steps.set(command.validateDisplay || undefined, async () => {
    results.push(...validatedResults(display, await validate(client, display)));
  });
  await steps.set(command.acceptDisplayChanges || undefined, () => client.call("acceptDisplayChanges", display));
  if (steps.failed) return;
  await steps.set(command.presentDisplay || undefined, async () => {
    results.push(...presentedResults(display, await present(client, display)));
  });
  await steps.set(command.presentOrValidateDisplay || undefined, async () => {
    const done = await presentOrValidate(client, display), isPresented = "presented" in done;
    results.push({
      tag: "presentOrValidateResult",
      value: { display, result: isPresented ? PRESENTED : VALIDATED },
    });
    if (isPresented) results.push(...presentedResults(display, done.presented));
    else results.push(...validatedResults(display, done.validated));
  });
}

function validatedResults(display: bigint, { changes, requests, target }: Validated): CommandResultPayload[] {
  const { displayRequests: mask, layerRequests } = requests, results: CommandResultPayload[] = [];
  if (changes.length > 0) {
    const layers = changes.map(({ layer, type }) => ({ layer, composition: type }));
    results.push({ tag: "changedCompositionTypes", value: { display, layers } });
  }
  if (mask !== 0 || layerRequests.length > 0) {
    const all = layerRequests.map(({ layer, requests }) => ({ layer, mask: requests }));
    results.push({ tag: "displayRequest", value: { display, mask, layerRequests: all } });
  }
  if (target) {
    const value = { display, clientTargetProperty: target, brightness: FULL_BRIGHTNESS, dimmingStage: NO_DIMMING };
    results.push({ tag: "clientTargetProperty", value });
  }
  return results;
}

/** A fence cannot be null here: a frame that has appeared has no result. */
function presentedResults(display: bigint, { fence, releases }: Presented): CommandResultPayload[] {
  const results: CommandResultPayload[] = fence < 0 ? [] : [{ tag: "presentFence", value: { display, fence } }];
  if (releases.length > 0) results.push({ tag: "releaseFences", value: { display, layers: releases } });
  return results;
}
