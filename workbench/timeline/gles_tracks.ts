import { ThreadTracks } from "./vulkan/thread_tracks.ts";
import type { TraceWriter } from "./vulkan/trace_writer.ts";
import type { AnyGlesHook, GlesLayer } from "../../egl/layers/gles_layer.ts";

/** The targets of {@linkcode glesTracks}. */
export interface GlesTracksOptions {
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
export function glesTracks(writer: TraceWriter, { predicate, isOn, onWindow }: GlesTracksOptions): GlesLayer {
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
