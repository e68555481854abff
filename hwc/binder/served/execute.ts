import { COLOR_TRANSFORM } from "../../device_types.ts";
import { isIdentity } from "../../backends/colors/color_matrix.ts";
import type { ServedClient } from "./client.ts";
import { present, type Presented, presentOrValidate, validate, type Validated } from "./frame.ts";
import { given, layerSteps } from "./layer_steps.ts";
import type { DisplaySettings } from "../connected/command_queue.ts";
import type { CommandResultPayload } from "../gen/composer3_gen.ts";
import { codeOf } from "../errors.ts";

/** `PresentOrValidate.Result`. */
const VALIDATED = 0, PRESENTED = 1;
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

  /** Runs a step; a Promise for one whose end must be waited for. */
  run(step: () => unknown): void | Promise<void> {
    try {
      const done = step();
      if (done instanceof Promise) return done.then(() => {}, (error) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.failed = true;
    this.#log(`Command ${this.#index} failed: ${error}`);
    this.results.push({ tag: "error", value: { commandIndex: this.#index, errorCode: codeOf(error) } });
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

async function setState(client: ServedClient, command: DisplaySettings, steps: Steps): Promise<void> {
  const display = BigInt.asUintN(64, command.display);
  const { brightness, colorTransformMatrix: matrix, clientTarget, virtualDisplayOutputBuffer, expectedPresentTime } =
    command;
  client.ignoreProfile(command.pictureProfileId ?? 0n);
  if (brightness) await steps.run(() => client.call("setDisplayBrightness", display, brightness.brightness));
  for (const layer of command.layers) {
    for (const step of layerSteps(client, display, layer)) {
      const done = steps.run(step); // most are done at once, and waiting would take longer than they do
      if (done) await done;
    }
  }
  if (matrix) {
    const kind = isIdentity(matrix) ? COLOR_TRANSFORM.IDENTITY : COLOR_TRANSFORM.ARBITRARY_MATRIX;
    await steps.run(() => client.call("setColorTransform", display, matrix, kind));
  }
  if (clientTarget) {
    const { buffer, dataspace, damage } = clientTarget;
    await steps.run(() => client.setClientTarget(display, given(buffer), dataspace, damage));
  }
  if (virtualDisplayOutputBuffer) {
    await steps.run(() => client.setOutputBuffer(display, given(virtualDisplayOutputBuffer)));
  }
  if (expectedPresentTime) {
    await steps.run(() => client.call("setExpectedPresentTime", display, expectedPresentTime.timestampNanos));
  }
}

async function runFrame(client: ServedClient, command: DisplaySettings, steps: Steps): Promise<void> {
  const display = BigInt.asUintN(64, command.display), { results } = steps;
  if (command.validateDisplay) {
    await steps.run(async () => {
      results.push(...validatedResults(client, display, await validate(client, display)));
    });
  }
  if (command.acceptDisplayChanges) await steps.run(() => client.call("acceptDisplayChanges", display));
  if (steps.failed) return;
  if (command.presentDisplay) {
    await steps.run(async () => {
      results.push(...presentedResults(client, display, await present(client, display)));
    });
  }
  if (command.presentOrValidateDisplay) {
    await steps.run(async () => {
      const done = await presentOrValidate(client, display), isPresented = "presented" in done;
      results.push({
        tag: "presentOrValidateResult",
        value: { display, result: isPresented ? PRESENTED : VALIDATED },
      });
      if (isPresented) results.push(...presentedResults(client, display, done.presented));
      else results.push(...validatedResults(client, display, done.validated));
    });
  }
}

function validatedResults(
  { layers: known }: ServedClient,
  display: bigint,
  { changes, requests, target }: Validated,
): CommandResultPayload[] {
  const { displayRequests: mask, layerRequests } = requests, results: CommandResultPayload[] = [];
  if (changes.length > 0) {
    const layers = changes.map(({ layer, type }) => ({ layer: known.nameOf(display, layer), composition: type }));
    results.push({ tag: "changedCompositionTypes", value: { display, layers } });
  }
  if (mask !== 0 || layerRequests.length > 0) {
    const all = layerRequests.map(({ layer, requests }) => ({ layer: known.nameOf(display, layer), mask: requests }));
    results.push({ tag: "displayRequest", value: { display, mask, layerRequests: all } });
  }
  if (target) {
    const value = { display, clientTargetProperty: target, brightness: FULL_BRIGHTNESS, dimmingStage: NO_DIMMING };
    results.push({ tag: "clientTargetProperty", value });
  }
  return results;
}

/** A fence cannot be null here: a frame that has appeared has no result. */
function presentedResults(
  { layers: known }: ServedClient,
  display: bigint,
  { fence, releases }: Presented,
): CommandResultPayload[] {
  const results: CommandResultPayload[] = fence < 0 ? [] : [{ tag: "presentFence", value: { display, fence } }];
  const layers = releases.map(({ layer, fence }) => ({ layer: known.nameOf(display, layer), fence }));
  if (layers.length > 0) results.push({ tag: "releaseFences", value: { display, layers } });
  return results;
}
