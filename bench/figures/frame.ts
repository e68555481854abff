import { compileC, compileFixture } from "../../tests/support/compile.ts";
import { apiProfile } from "../../loader/layers/shipped/profile/profile.ts";
import { deviceTwin } from "../../loader/twin/device_twin.ts";
import { vkjson } from "../../loader/vkjson/vkjson.ts";
import type { Layer } from "../../loader/layer.ts";
import { perfettoTrace } from "../../workbench/timeline/mod.ts";
import type { Figure } from "../figure.ts";
import { compare, type Work } from "../measure.ts";
import { rawFrame } from "../frame/raw.ts";
import { fakeScene, type FrameScene, frameScene, sceneInMemory } from "../frame/scene.ts";
import { typedFrame } from "../frame/typed.ts";
import { type Parts, withDevice } from "../parts.ts";

const FRAMES = 20;

/** A frame of 1,000 draws: recorded and submitted in raw form and by methods, beside C, and under layers that profile and trace. */
export function frameFigures({ lavapipe, c }: Parts): Figure[] {
  const busy = compileFixture("tiny_driver", ["-DANY_COMMAND"], "any")!;
  const figures: Figure[] = [], drawInC = frameInC();
  const vs = (ours: Work, theirs: Work) => compare(ours, theirs, FRAMES, c.thread_milliseconds);
  const add = (name: string, meaning: string, value: number, goal?: number) =>
    figures.push({ name, meaning, value, unit: name.endsWith("_us") ? "µs" : "×", goal });
  withDevice(lavapipe, [], (device, instance) => {
    const scene = frameScene(device, instance), inC = drawInC(scene);
    const raw = vs(rawFrame(scene), inC), typed = vs(typedFrame(scene), inC);
    add("frame_c_us", "1,000 draws recorded and submitted in C, on lavapipe", raw.theirs / 1000);
    add("frame_raw_vs_c", "the same from TypeScript in raw form, over it", raw.ratio, 1.3);
    add("frame_typed_vs_c", "the same by methods", typed.ratio, 2.5);
    withDevice(lavapipe, [apiProfile({ frameEnd: "submit" }).layer], (device, instance) => {
      const profiled = frameScene(device, instance);
      add(
        "frame_profile_vs_none",
        "by methods under apiProfile()",
        vs(typedFrame(profiled), typedFrame(scene)).ratio,
        1.8,
      );
      add("frame_profile_raw_vs_none", "in raw form", vs(rawFrame(profiled), rawFrame(scene)).ratio);
    });
    const twin = deviceTwin(vkjson({ driver: lavapipe }));
    withDevice(lavapipe, [twin.layer], (device, instance) => {
      const twinned = frameScene(device, instance);
      add("frame_twin_vs_none", "in raw form on a twin", vs(rawFrame(twinned), rawFrame(scene)).ratio, 1.02);
    });
    underPerfetto((layer) =>
      withDevice(lavapipe, [layer], (device, instance) => {
        const traced = typedFrame(frameScene(device, instance));
        add(
          "frame_perfetto_vs_none",
          "by methods, each call a slice of a trace file",
          vs(traced, typedFrame(scene)).ratio,
          3,
        );
      })
    );
  });
  withDevice(busy, [], (device) => {
    const scene = fakeScene(device), inC = drawInC(scene);
    add(
      "frame_tiny_raw_vs_c",
      "raw, on the smallest driver, where every command does nothing",
      vs(rawFrame(scene), inC).ratio,
    );
    add("frame_tiny_typed_vs_c", "by methods", vs(typedFrame(scene), inC).ratio);
  });
  return figures;
}

/** Calls `use` with the layer of a trace that is written to a file. */
function underPerfetto(use: (layer: Layer) => void): void {
  const path = Deno.makeTempFileSync({ suffix: ".pftrace" });
  try {
    using trace = perfettoTrace({ path });
    use(trace.layer);
    if (trace.error) throw trace.error;
  } finally {
    Deno.removeSync(path);
  }
}

/** The frame in C, on the same device and with the same objects. */
function frameInC(): (scene: FrameScene) => Work {
  const path = compileC(new URL("../c/frame.c", import.meta.url));
  if (!path) throw new Error("Cannot compile bench/c/frame.c: install a C compiler (deno task setup)");
  const { symbols } = Deno.dlopen(path, {
    frame_draw: { parameters: ["u64", "u32"], result: "void" }, // void frame_draw(const Scene *, uint32_t times)
  });
  return (scene) => {
    const at = sceneInMemory(scene);
    return (times) => symbols.frame_draw(at, times);
  };
}
