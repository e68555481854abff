import { assert, assertEquals } from "@std/assert";
import { eightPlane, fourPlane, onePlane, videoPlane } from "../../../hwc/planes/models.ts";
import { planText } from "../../../hwc/planes/frame_plan.ts";
import type { PlaneLayer, PlaneModel } from "../../../hwc/planes/plane.ts";
import { clientOnly, firstLayers, leastGpuWork } from "../../../hwc/planes/strategy.ts";
import { COMPOSITION, type Rect } from "../../../hwc/types.ts";
import {
  fullScreenVideo,
  homeScreen,
  LANDSCAPE,
  landscapeGame,
  layerAt,
  PORTRAIT,
  portraitGame,
  rect,
  splitScreen,
  translucentAt,
} from "./scenes.ts";

/** The plane that each layer has by the best strategy; `client` without one. */
function planesFor(layers: PlaneLayer[], model: PlaneModel, screen: Rect): Record<string, string> {
  const { decisions } = leastGpuWork().plan(layers, model, screen);
  const place = ({ plane, given }: (typeof decisions)[number]) =>
    plane ?? (given === COMPOSITION.CLIENT ? "client" : "none");
  return Object.fromEntries(decisions.map((decision) => [decision.layer.name, place(decision)]));
}

Deno.test("leastGpuWork() shows the home screen on four overlays at once", () => {
  const plan = leastGpuWork().plan(homeScreen(), fourPlane(), PORTRAIT);
  assertEquals(plan.stack.map(({ layer }) => layer), [0, 1, 2, 3]);
  assertEquals(plan.gpuWork, 0);
  assertEquals(plan.target, undefined);
});

Deno.test("leastGpuWork() gives the home screen's largest layers planes when there are fewer", () => {
  const model = { ...fourPlane(), planes: fourPlane().planes.slice(0, 3) };
  const found = planesFor(homeScreen(), model, PORTRAIT);
  assertEquals(found, { wallpaper: "overlay0", launcher: "overlay1", "status bar": "client", "system bar": "client" });
});

Deno.test("leastGpuWork() shows a game upright and across on the only plane there is", () => {
  assertEquals(planesFor(portraitGame(), onePlane(), PORTRAIT), { game: "primary" });
  const [game] = landscapeGame(), unscaled = { ...game, sourceCrop: LANDSCAPE };
  assertEquals(planesFor([unscaled], onePlane(), LANDSCAPE), { game: "primary" });
  assertEquals(planesFor(landscapeGame(), fourPlane(), LANDSCAPE), { game: "overlay0" });
  assertEquals(planesFor(landscapeGame(), onePlane(), LANDSCAPE), { game: "client" });
});

Deno.test("leastGpuWork() keeps a video on its plane, with captions and controls over it", () => {
  const found = planesFor(fullScreenVideo(), eightPlane(), LANDSCAPE);
  assertEquals(found, { video: "overlay1", captions: "overlay2", controls: "overlay3" });
  const television = planesFor(fullScreenVideo(), videoPlane(), LANDSCAPE);
  assertEquals(television, { video: "video", captions: "graphics1", controls: "graphics2" });
});

Deno.test("leastGpuWork() gives a protected video its plane first, whatever else there is", () => {
  const bars = [3, 4, 5, 6].map((z) => translucentAt(`bar${z}`, z, LANDSCAPE));
  const layers = [...fullScreenVideo({ isProtected: true }), ...bars];
  assertEquals(planesFor(layers, videoPlane(), LANDSCAPE).video, "video");
  const { decisions } = leastGpuWork().plan(layers, eightPlane(), LANDSCAPE);
  assert(decisions[0].plane !== undefined, planText(leastGpuWork().plan(layers, eightPlane(), LANDSCAPE)));
});

Deno.test("leastGpuWork() leaves a protected video to the client only when no plane may read it", () => {
  const plan = leastGpuWork().plan(fullScreenVideo({ isProtected: true }), fourPlane(), LANDSCAPE);
  assertEquals(plan.decisions[0].given, COMPOSITION.CLIENT);
  assert(plan.explain()[0].planes.every(({ why }) => why === "cannot read protected buffers"));
});

Deno.test("leastGpuWork() gives the halves of a split screen planes, and the bars the rest", () => {
  const found = planesFor(splitScreen(), fourPlane(), PORTRAIT);
  assertEquals([found.upper, found.lower].every((plane) => plane.startsWith("overlay")), true);
  assertEquals(found["system bar"].startsWith("overlay"), true);
  assertEquals([found.divider, found["status bar"]], ["client", "client"]);
});

Deno.test("leastGpuWork() has the client clear its target over an opaque layer it cannot lie below", () => {
  const layers = [
    translucentAt("effect", 0, PORTRAIT, { composition: COMPOSITION.CLIENT }),
    layerAt("video", 1, rect(0, 500, 1080, 1200)),
    translucentAt("captions", 2, rect(0, 1000, 1080, 1200), { composition: COMPOSITION.CLIENT }),
  ];
  const plan = leastGpuWork().plan(layers, fourPlane(), PORTRAIT);
  assertEquals(plan.decisions.map(({ clearsTarget }) => clearsTarget), [false, true, false]);
  assertEquals(plan.stack.map(({ layer }) => layer), [1, -1]);
});

Deno.test("leastGpuWork() leaves a translucent layer between the client's to the client", () => {
  const layers = [
    translucentAt("under", 0, PORTRAIT, { composition: COMPOSITION.CLIENT }),
    translucentAt("between", 1, PORTRAIT),
    translucentAt("over", 2, PORTRAIT, { composition: COMPOSITION.CLIENT }),
  ];
  const plan = leastGpuWork().plan(layers, fourPlane(), PORTRAIT);
  assertEquals(plan.decisions[1].given, COMPOSITION.CLIENT);
  const { reason } = plan.explain()[1];
  assertEquals(
    reason,
    "the client composes it: it lies over layers of the client, and no hole can be made for a layer that is not opaque",
  );
});

Deno.test("leastGpuWork() gives no plane to what cannot be seen", () => {
  const layers = [
    layerAt("wallpaper", 0, PORTRAIT),
    layerAt("app", 1, PORTRAIT),
    translucentAt("faded", 2, PORTRAIT, { planeAlpha: 0 }),
    layerAt("aside", 3, rect(1080, 0, 2000, 100)),
    layerAt("empty", 4, PORTRAIT, { buffer: undefined }),
  ];
  const plan = leastGpuWork().plan(layers, onePlane(), PORTRAIT);
  assertEquals(plan.decisions.map(({ plane }) => plane), [undefined, "primary", undefined, undefined, undefined]);
  assertEquals(plan.decisions.every(({ asked, given }) => asked === given), true);
  assertEquals(plan.explain().map(({ reason }) => reason), [
    "it needs no plane: app hides it",
    "primary shows it",
    "it needs no plane: its opacity is 0",
    "it needs no plane: no pixel of it lies on the display",
    "it needs no plane: it has no buffer yet",
  ]);
});

Deno.test("a layer of the client that has no buffer is explained, too", () => {
  const client = { buffer: undefined, composition: COMPOSITION.CLIENT };
  const layers = [layerAt("app", 0, PORTRAIT), layerAt("color", 1, rect(0, 0, 100, 100), client)];
  for (const model of [onePlane(), fourPlane(), eightPlane(), videoPlane()]) {
    const { reason } = leastGpuWork().plan(layers, model, PORTRAIT).explain()[1];
    assertEquals(reason, "the client composes it: the client wants to compose it");
  }
});

Deno.test("leastGpuWork() says what was short: scalers, rotators, bandwidth, planes", () => {
  const scaled = (name: string, z: number, left: number) =>
    layerAt(name, z, rect(left, 0, left + 300, 300), { sourceCrop: rect(0, 0, 150, 150) });
  const three = [scaled("a", 0, 0), scaled("b", 1, 300), scaled("c", 2, 600)];
  const reasons = (layers: PlaneLayer[], model: PlaneModel) =>
    leastGpuWork().plan(layers, model, PORTRAIT).explain().map(({ reason }) => reason).join("\n");
  assert(reasons(three, fourPlane()).includes("the scalers are taken"));
  const turned = [0, 1, 2].map((z) => layerAt(`t${z}`, z, rect(z * 100, 0, z * 100 + 100, 100), { transform: 4 }));
  assert(reasons(turned, eightPlane()).includes("what turns pictures is taken"));
  const screens = [0, 1, 2, 3].map((z) => translucentAt(`s${z}`, z, PORTRAIT));
  assert(reasons(screens, fourPlane()).includes("more than there is bandwidth for"));
  const small = [0, 1, 2, 3, 4].map((z) => layerAt(`p${z}`, z, rect(z * 100, 0, z * 100 + 100, 100)));
  assert(reasons(small, fourPlane()).includes("the planes that could show it are taken"));
});

Deno.test("clientOnly() leaves everything to the client, but what cannot be seen", () => {
  const plan = clientOnly().plan(homeScreen(), fourPlane(), PORTRAIT);
  assertEquals(plan.decisions.every(({ given }) => given === COMPOSITION.CLIENT), true);
  assertEquals(plan.gpuWork, plan.totalWork);
  assertEquals(plan.target, "overlay0");
  assert(plan.explain()[0].reason.includes("this strategy leaves everything to the client"));
});

Deno.test("firstLayers() gives planes to the first surfaces, and the client the rest", () => {
  const given = (most: number) =>
    firstLayers(most).plan(splitScreen(), { ...fourPlane(), bandwidth: 6 }, PORTRAIT).decisions.map(({ given }) =>
      given
    );
  assertEquals(given(0), [1, 1, 1, 1, 1]);
  assertEquals(given(2), [2, 2, 1, 1, 1]);
  assertEquals(given(3), [2, 2, 2, 1, 1]);
  assertEquals(given(4), [2, 2, 2, 1, 1], "one of the four planes is the client target's");
});

Deno.test("firstLayers() goes on behind a layer that no plane can show", () => {
  const layers = [
    layerAt("below", 0, PORTRAIT),
    translucentAt("drawn", 1, rect(0, 0, 100, 100), { composition: COMPOSITION.CLIENT }),
    translucentAt("above", 2, rect(200, 200, 300, 300)),
  ];
  const { decisions } = firstLayers(2).plan(layers, fourPlane(), PORTRAIT);
  assertEquals(decisions.map(({ given }) => given), [2, 1, 2]);
});

Deno.test("planText() has a line for the whole, a heading, and a line for every layer", () => {
  const text = planText(firstLayers(1).plan(homeScreen(), fourPlane(), PORTRAIT));
  assertEquals(text.split("\n").length, 6);
  assert(/^ {2}as asked {2}wallpaper +overlay0 shows it$/m.test(text), text);
  assert(text.includes("only the first 1 layers get planes"), text);
});
