import { assert, assertEquals } from "@std/assert";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import type { NativeWindow } from "../../../wsi/window/native_window.ts";
import { type PerfettoTrace, perfettoTrace } from "../../../workbench/timeline/mod.ts";
import { withFolder } from "../../support/temporary.ts";
import { type DecodedTrace, decodeTrace, traceTable } from "./decode.ts";

const PERIOD = 40_000_000n; // two vsyncs of 60 Hz, and a little more

/** Runs a composer with one panel and a window in front of it, draws some frames, and reads the trace. */
function traced(
  frames: number,
  after: (composer: ReferenceComposer, display: bigint) => void = () => {},
): DecodedTrace {
  let decoded: DecodedTrace | undefined;
  withFolder((folder) => {
    const path = `${folder}/composer.pftrace`;
    using trace = perfettoTrace({ path });
    show(trace, frames, after);
    trace.close();

    decoded = decodeTrace(Deno.readFileSync(path));
  });
  return decoded!;
}

function show(
  trace: PerfettoTrace,
  frames: number,
  after: (composer: ReferenceComposer, display: bigint) => void,
): void {
  const clock = new ManualClock(), modes = [{ width: 32, height: 24, refreshRate: 60 }];
  using composer = trace.watchComposer(createReferenceComposer({ clock, panels: [{ modes }] }));
  using flinger = new SurfaceFlinger({ composer });
  const { window } = flinger.createLayer({ name: "app", window: { width: 32, height: 24 } });
  trace.watchWindow(window!);
  window!.apiConnect(2);
  for (let each = 0; each < frames; each++) {
    draw(window!);
    clock.advance(PERIOD);
  }
  after(composer, flinger.displays[0].handle!);
  draw(window!);
  clock.advance(PERIOD);
}

function draw(window: NativeWindow): void {
  const taken = window.dequeueBuffer();
  if (typeof taken === "number") throw new Error(`no buffer: ${taken}`);
  window.queueBuffer(taken.buffer, taken.fence);
}

Deno.test("perfettoTrace() shows a display: calls, vsyncs, frames until they appear, and its planes", () => {
  const trace = traced(2),
    { slices } = trace,
    display = trace.tracks.find((track) => /\/display 1 \(0x\w+\)$/.test(track))!;
  const on = (track: string) => slices.filter((each) => each.track === track);
  const calls = on(display).map(({ name }) => name);
  assertEquals(calls.filter((name) => name === "presentDisplay").length, 3, traceTable(trace));
  assertEquals(calls.filter((name) => name === "validateDisplay").length, 1, "the plan stays the same");
  assert(on(`${display}/vsync`).length >= 3);
  const shown = on(`${display}/present fence`).filter(({ kind }) => kind === "slice");
  assertEquals(shown.map(({ name }) => name), ["frame", "frame", "frame"]);
  assert(shown.every(({ start, end }) => end > start), "the fence is signalled at the flip");
  assertEquals(on(`${display}/overlay0`).length, 1, "one layer stays on its plane");
  assertEquals(new Set(on(`${display}/client layers`).map(({ value }) => value)), new Set([0]));
  assert(slices.every(({ end }) => end < Infinity));
});

Deno.test("perfettoTrace() draws an arrow from a window's frame to the display that shows the frame", () => {
  const { slices } = traced(1);
  for (const { flows: [flow] } of slices.filter(({ name }) => name === "queueBuffer")) {
    const way = slices.filter(({ flows }) => flows.includes(flow)).map(({ name }) => name);
    assertEquals(way.toSorted(), ["frame", "presentDisplay", "presented", "queueBuffer", "queued", "shown"]);
  }
});

Deno.test("perfettoTrace() counts the layers that the client composes", () => {
  const { slices } = traced(1, (composer, display) => composer.setStrategy(display, clientOnly()));
  const counts = slices.filter(({ track }) => track.endsWith("/client layers")).map(({ value }) => value);
  assertEquals(counts, [0, 1]);
  assertEquals(slices.filter(({ name }) => name === "setClientTarget").length > 0, true);
  const planes = slices.filter(({ track, kind }) => track.includes("/overlay") && kind === "slice");
  assertEquals(planes.map(({ name }) => name), [`window 1 "app" (32×24)`, "client target"]);
});
