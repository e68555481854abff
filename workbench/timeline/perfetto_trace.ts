import { callback, checkOptions, type OptionRules, text, yesOrNo } from "../../ffi/check_options.ts";
import { TraceWriter } from "./vulkan/trace_writer.ts";
import { ThreadTracks, VulkanTracks } from "./vulkan/vulkan_tracks.ts";
import type { NativeWindow } from "../../wsi/window/native_window.ts";
import type { AnyGlesHook, GlesLayer } from "../../egl/layers/gles_layer.ts";
import type { AsyncComposer } from "../../hwc/composer.ts";
import { BufferFlows, Windows } from "./windows.ts";
import { TracedComposer } from "./traced_composer.ts";
import type { Layer } from "../../loader/layer.ts";

/** The targets of {@linkcode glesTracks}. */
interface GlesTracksOptions {
  /** Whether a command's calls are written. */
  readonly predicate: (command: string) => boolean;
  /** Whether calls are written now. */
  readonly isOn: () => boolean;
  /** Called with the ANativeWindow of a new surface. */
  readonly onWindow: (address: bigint) => void;
}

/** Commands that make surfaces of windows; the window is the third argument. */
const MAKES_SURFACE = new Set(["eglCreateWindowSurface"]);

/** Makes a layer that writes calls as slices of the thread. */
function glesTracks(writer: TraceWriter, { predicate, isOn, onWindow }: GlesTracksOptions): GlesLayer {
  const sliced = (command: string): AnyGlesHook => (next, ...args) => {
    if (!isOn()) return next(...args);
    writer.begin(writer.thread, command);
    try {
      return next(...args);
    } finally {
      writer.end(writer.thread);
    }
  };
  const threads = new ThreadTracks(writer);
  return {
    name: "perfettoTrace",
    onForeignThread: "record",
    recorded(call) {
      if (isOn() && predicate(call.command)) threads.write(call);
    },
    anyCommand(command) {
      const hook = predicate(command) ? sliced(command) : undefined;
      if (!MAKES_SURFACE.has(command)) return hook;
      return (next, ...args) => {
        if (isOn()) onWindow(args[2]);
        return hook ? hook.call(undefined as never, next, ...args) : next(...args);
      };
    },
  };
}

/** Options of {@linkcode perfettoTrace}. */
export interface PerfettoTraceOptions {
  /** The file to write, such as `frame.pftrace`. An existing file is replaced. */
  readonly path: string;
  /** Whether the arguments of calls are written, too. Default `false`. */
  readonly withArguments?: boolean;
  /**
   * Whether the GPU writes timestamps around submissions and render passes, so that the tracks of queues show when the
   * GPU really worked. The layer adds commands and one extension to the program's own for this. Default `true`.
   */
  readonly gpuTimes?: boolean;
  /**
   * Called once for each Vulkan, EGL and OpenGL ES command that is used. Returns whether the command's calls are
   * written. Default: all.
   */
  readonly predicate?: (command: string) => boolean;
}

const RULES: OptionRules<PerfettoTraceOptions> = {
  path: text("the path of a file"),
  withArguments: yesOrNo,
  gpuTimes: yesOrNo,
  predicate: callback("says whether a command is traced"),
};

/** A trace that is being written. */
export interface PerfettoTrace extends Disposable {
  /** The Vulkan layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** The layer for EGL and OpenGL ES, for `layers` of `loadEgl` or for `egl.attach`. */
  readonly glesLayer: GlesLayer;
  /** Whether calls are written. Can be changed at any time. */
  enabled: boolean;
  /** The error of a failed write. Nothing is written afterwards, and the program continues. */
  readonly error: unknown;
  /**
   * Shows the frames of a window: who has each buffer, and frames that were dropped or presented. Windows of which
   * Vulkan or EGL makes a surface while the layer is in use are watched without a call. Returns a function that ends
   * this.
   */
  watchWindow(window: NativeWindow): () => void;
  /**
   * Returns a composer that does what the given one does, and shows each display: validate and present, vsyncs, frames
   * from present until their fence, the layers on the planes of a reference composer, and how many layers the client
   * composes. Use the result in place of the other from the beginning; close either.
   */
  watchComposer<Kind extends AsyncComposer>(composer: Kind): Kind;
  /** Gives the system everything that waits in memory. */
  flush(): void;
  /** Stops the trace and closes the file. A second call does nothing. */
  close(): void;
}

/** Milliseconds between looks at the queues. */
const INTERVAL = 1;

/**
 * Begins a trace file for ui.perfetto.dev and Android's tools.
 *
 * The calls of the thread that loads Vulkan are slices of that thread's track.
 * Each queue that the program gets while the layer is in use has a track with
 * its work and render passes, by timestamps of the GPU. Where there are none,
 * work is shown from the submission, or the end of the work before, until the
 * work was seen to be done: the layer submits a fence of its own behind each
 * submission, and looks at each call and each millisecond. Arrows lead from
 * those who signal a fence or semaphore to those who wait. All times are
 * CLOCK_MONOTONIC.
 *
 * The file is written as things happen: a process that dies leaves a file that
 * can be read up to a tenth of a second, or 32 KiB, before its end.
 *
 * @throws {TypeError} if an option is unknown, wrong or missing.
 * @throws {Error} if the file cannot be created.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx";
 * import { perfettoTrace } from "@pumice/gfx/perfetto";
 *
 * using trace = perfettoTrace({ path: "frame.pftrace" });
 * using vulkan = loadVulkan({ layers: [trace.layer] });
 * ```
 */
export function perfettoTrace(options: PerfettoTraceOptions): PerfettoTrace {
  checkOptions("perfettoTrace()", options, RULES);
  if (options.path === undefined) throw new TypeError("Cannot trace: give `path`, the file to write");
  return new Recorder(options);
}

class Recorder implements PerfettoTrace {
  readonly #writer: TraceWriter;
  readonly #vulkan: VulkanTracks;
  readonly #frames = new BufferFlows();
  readonly #windows: Windows;
  readonly glesLayer: GlesLayer;
  readonly #composers: TracedComposer[] = [];
  readonly #timer: ReturnType<typeof setInterval>;

  constructor({ path, withArguments = false, gpuTimes = true, predicate = () => true }: PerfettoTraceOptions) {
    this.#writer = new TraceWriter(path);
    this.#windows = new Windows(this.#writer, this.#frames);
    const onWindow = (address: bigint) => this.#windows.watchAt(address);
    this.#vulkan = new VulkanTracks(this.#writer, { predicate, withArguments, gpuTimes, onWindow });
    const isOn = () => this.enabled && this.#writer.isOpen;
    this.glesLayer = glesTracks(this.#writer, { predicate, isOn, onWindow });
    this.#timer = setInterval(() => this.#poll(), INTERVAL);
    Deno.unrefTimer(this.#timer);
  }

  get layer(): Layer {
    return this.#vulkan.layer;
  }

  get enabled(): boolean {
    return this.#vulkan.enabled;
  }

  set enabled(on: boolean) {
    this.#vulkan.enabled = on;
  }

  get error(): unknown {
    return this.#writer.error;
  }

  watchWindow(window: NativeWindow): () => void {
    return this.#windows.watch(window);
  }

  watchComposer<Kind extends AsyncComposer>(composer: Kind): Kind {
    const traced = new TracedComposer(composer, this.#writer, this.#frames);
    this.#composers.push(traced);
    return traced.wrap(composer);
  }

  flush(): void {
    this.#writer.flush();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#windows.close();
    for (const composer of this.#composers.splice(0)) composer.close();
    this.#writer.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #poll(): void {
    this.#vulkan.poll();
    for (const composer of this.#composers) composer.poll();
  }
}
