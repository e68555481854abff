import { callOfThreads } from "../figures/layer_server.ts";
import { presenterOf } from "../figures/present.ts";
import { taskOfWorkers } from "../figures/queue.ts";
import { leastOf } from "../measure.ts";
import { FLAT, LINEAR, type Subject } from "./subject.ts";

const FRAMES = 20;

/** Windows, threads and workers: what works side by side. */
export const MANY_SUBJECTS: readonly Subject[] = [
  {
    name: "windows",
    meaning: "windows with devices of their own; a frame presented to each",
    sizes: [1, 4, 16, 64],
    most: LINEAR,
    cost: (size, { lavapipe, c }) => {
      using opened = new DisposableStack();
      const windows = Array.from({ length: size }, () => opened.use(presenterOf(lavapipe)));
      return leastOf(
        (times) => {
          for (const { present } of windows) present(times);
        },
        FRAMES,
        c.thread_milliseconds,
      );
    },
  },
  {
    name: "threads elsewhere",
    meaning: "threads of a native program; a call that one of them hands to layers in this process",
    sizes: [2, 10, 100, 1_000],
    most: FLAT,
    cost: callOfThreads,
  },
  {
    name: "workers of a queue",
    meaning: "workers of a queue; processor time of all sides for a task of one case",
    sizes: [1, 4, 16],
    most: FLAT,
    cost: taskOfWorkers,
  },
];
