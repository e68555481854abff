import { isTextConsole } from "../../hwc/kms/card/text_console.ts";
import { type Clock, systemClock } from "../../hwc/core/time/clock.ts";
import { composerViewer } from "../../hwc/viewer/composer_viewer.ts";
import { createKmsComposer } from "../../hwc/kms/create_kms_composer.ts";
import { createReferenceComposer } from "../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../hwc/core/controls.ts";
import { SteppingClock } from "../../hwc/core/time/stepping_clock.ts";
import { SurfaceFlinger } from "../../hwc/flinger/surface_flinger.ts";
import { watchFrames } from "../../hwc/viewer/watch/frame_watch.ts";
import type { VulkanOptions } from "../../loader/mod.ts";
import { untilStopped } from "../../workbench/process/stop.ts";
import type { PerfettoTrace } from "../../workbench/timeline/mod.ts";
import type { Process, Request } from "../command.ts";
import { type ComposeOptions, composeOptions } from "./options.ts";
import { jsonReporter, type Reporter, textReporter } from "./reporter.ts";
import { Scenes } from "./scenes/scenes.ts";

// Loaded when they are needed: cli/commands.ts says why "as string".
type OfferModule = typeof import("./offer.ts");
type TimelineModule = typeof import("../../workbench/timeline/mod.ts");

/** Composes until it is stopped, and tells how it goes: the exit code. */
export async function composeScreens(
  request: Request,
  print: (text: string) => void,
  { warn }: Process,
): Promise<number> {
  const options = composeOptions(request), reporter = (request.json ? jsonReporter : textReporter)(print, warn);
  if (options.binder !== undefined) return await offer(options, options.binder, reporter);
  const isWhole = await compose(options, request.options, reporter);
  reporter.end();
  return isWhole ? 0 : 1;
}

/** Offers the composer to another process: the exit code. */
async function offer(options: ComposeOptions, device: string, reporter: Reporter): Promise<number> {
  const { offerComposer } = await import("./offer.ts" as string) as OfferModule;
  using stop = untilEnd();
  using composer = createComposer(options, systemClock(), (error) => reporter.warn((error as Error).message));
  for (const size of options.externals) composer.plug({ modes: [{ ...size, refreshRate: EXTERNAL_HZ }] });
  await offerComposer(composer, { device, frames: options.frames }, reporter, stop);
  return 0;
}

const EXTERNAL_HZ = 60;
/** The terminal that the program was started on. */
const CONSOLE = "/dev/tty";

/**
 * Composes until the user stops the program, or until the requested number of frames. Returns whether the trace, if one
 * is wanted, is whole. Throws any other error that ends the composition.
 */
async function compose(options: ComposeOptions, driver: VulkanOptions, reporter: Reporter): Promise<boolean> {
  const trace = options.perfetto === undefined ? undefined : await openTrace(options.perfetto);
  try {
    await composeAll(options, driver, reporter, trace);
  } finally {
    trace?.close();
  }
  if (trace?.error === undefined) return true;
  reporter.warn(`${options.perfetto}: not written to the end: ${(trace.error as Error).message}`);
  return false;
}

async function composeAll(
  options: ComposeOptions,
  driver: VulkanOptions,
  reporter: Reporter,
  trace: PerfettoTrace | undefined,
): Promise<void> {
  const { frames, externals, port } = options;
  await using owned = new AsyncDisposableStack();
  const stop = owned.use(untilEnd());
  const clock = new SteppingClock(), isLive = port !== undefined || options.x11 || options.card !== undefined;
  if (!isLive) clock.pause(); // as fast as pictures are written, and each vsync one
  const own = owned.use(createComposer(options, clock, (error) => reporter.warn((error as Error).message)));
  const composer = trace?.watchComposer(own) ?? own;
  const flinger = owned.use(new SurfaceFlinger({ composer, log: (message) => reporter.warn(message) }));
  const { width, height } = flinger.displays[0];
  const scenes = new Scenes(composer, flinger, { ...options, width, height }, {
    closed({ isPrimary, handle }) {
      if (isPrimary) stop.now();
      else queueMicrotask(() => composer.unplug(handle!)); // its window is in the middle of an event
    },
    failed: (error) => stop.now(error),
  });
  owned.use(scenes);
  const app = await scenes.begin({ ...driver, layers: [...trace ? [trace.layer] : [], ...driver.layers ?? []] });
  for (const { window } of flinger.layers) if (window) trace?.watchWindow(window);
  reporter.say(app.how);
  const watch = owned.use(watchFrames({
    composer,
    flinger,
    onHotplug: () => scenes.update(),
    onFrame(display) {
      reporter.frame(display, () => watch.report(display)[0]);
      const [primary] = watch.displays;
      if (primary.display === display && composer.statistics(primary.handle!).shown >= frames) stop.now();
    },
  }));
  for (const size of externals) composer.plug({ modes: [{ ...size, refreshRate: EXTERNAL_HZ }] });
  if (port !== undefined) {
    const viewer = owned.use(composerViewer({ composer, flinger, port, ...options.card ? {} : { clock } }));
    reporter.open(viewer.url);
  }
  const period = BigInt(composer.getDisplayVsyncPeriod(flinger.displays[0].handle!));
  owned.defer(everyPeriod(clock, period, (moment) => scenes.advance(moment)));
  if (isLive) return await stop.promise;
  while (!stop.isSet) {
    app.settle();
    clock.step(period);
    await new Promise((resolve) => setTimeout(resolve, 0)); // Ctrl-C is heard
  }
  await stop.promise;
}

/** The composer with simulated panels, or that of a card, whose time nobody can stop. */
function createComposer(
  { card, width, height, hz, planes, strategy }: ComposeOptions,
  clock: Clock,
  onError: (error: unknown) => void,
): ReferenceComposer {
  if (card) {
    const console = isTextConsole(CONSOLE) ? CONSOLE : undefined;
    return createKmsComposer({ card, strategy, onError, console });
  }
  const panels = [{ name: "Phone", modes: [{ width, height, refreshRate: hz }] }];
  return createReferenceComposer({ clock, panels, planes, strategy });
}

/** The library that writes the format is loaded only for this. */
async function openTrace(path: string): Promise<PerfettoTrace> {
  const { perfettoTrace } = await import("../../workbench/timeline/mod.ts" as string) as TimelineModule;
  return perfettoTrace({ path });
}

/** Calls back once a period, counting; moments that are missed are left out. The result ends it. */
function everyPeriod(clock: Clock, period: bigint, tick: (moment: number) => void): () => void {
  const start = clock.now();
  let cancel = () => {};
  const ring = (moment: bigint) => {
    tick(Number(moment));
    const now = (clock.now() - start) / period;
    const next = (now > moment ? now : moment) + 1n;
    cancel = clock.at(start + next * period, () => ring(next));
  };
  ring(0n);
  return () => cancel();
}

/** The end of something that runs until it is told to stop. */
interface End extends Disposable {
  /** Resolves when it is told, and rejects with the error that it was told with. */
  readonly promise: Promise<void>;
  /** Whether the signal to stop has come. */
  readonly isSet: boolean;
  /** Tells it; the first time counts. */
  now(error?: unknown): void;
}

/** Resolves when the program is told to stop, also by Ctrl-C. */
function untilEnd(): End {
  const stop = untilStopped(), { promise, resolve, reject } = Promise.withResolvers<void>();
  let isSet = false;
  const now = (error?: unknown) => {
    isSet = true;
    if (error === undefined) resolve();
    else reject(error);
  };
  stop.signal.addEventListener("abort", () => now(), { once: true });
  promise.catch(() => {}); // who waits for it gets it
  return {
    promise,
    get isSet() {
      return isSet;
    },
    now,
    [Symbol.dispose]: () => stop[Symbol.dispose](),
  };
}
