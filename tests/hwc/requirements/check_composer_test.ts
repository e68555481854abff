import { assert, assertEquals, assertMatch } from "@std/assert";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { eightPlane, PLANE_MODELS } from "../../../hwc/planes/models.ts";
import { checkComposer } from "../../../hwc/requirements/check_composer.ts";
import { openHwc2 } from "../../../hwc/hwc2/open.ts";
import { exportHwc2 } from "../../../hwc/hwc2/export.ts";
import { ManualClock, systemClock } from "../../../hwc/core/time/clock.ts";
import type { BufferRequest } from "../../../wsi/buffer/check_request.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { warmFences } from "../suite/warm_fences.ts";
import { CALLBACK } from "../../../hwc/device_types.ts";
import { EXPECTED } from "./expected.ts";
import { verdictsOf, VSYNC } from "./subject.ts";

for (const [model, table] of Object.entries(EXPECTED)) {
  Deno.test(`checkComposer() gives the verdicts that are expected of the model ${model}`, async () => {
    const buffers = openBuffers(), verdicts = [...(await verdictsOf({ planes: PLANE_MODELS[model]() })).values()];
    const found = verdicts.filter(({ status }) => status !== "pass").map(({ rule, status }) => [rule, status]);
    assertEquals(Object.fromEntries(found), table);
    for (const { id, rule, requirement, source, status, own, found, advice } of verdicts) {
      assertMatch(id, /^S\d+$/, rule);
      assertMatch(requirement, /^\w.*\.$/, rule);
      assert(source !== "" && found !== "", rule);
      assertEquals([own, advice !== ""], ["driver", status === "fail" || status === "report"], rule);
    }
    assertEquals(openBuffers(), buffers);
  });
}

Deno.test("checkComposer() says the same of a composer behind hwcomposer2.h, in real time", async () => {
  warmFences();
  const panels = [{ modes: [{ width: 64, height: 48, refreshRate: 240 }] }], planes = PLANE_MODELS["four-plane"]();
  using composer = createReferenceComposer({ panels, planes, flattenAfter: 0, clock: systemClock() });
  using exported = exportHwc2(composer);
  await using opened = openHwc2(exported.module);
  const { display, width, height, displays, verdicts } = await checkComposer(opened, { own: "provided" });
  assertEquals([display, width, height, displays], ["Panel 0", 64, 48, 1]);
  const found = new Map(verdicts.map(({ rule, status }) => [rule, status])), direct = await verdictsOf({ planes });
  for (const [rule, { status }] of direct) {
    // A buffer cannot say it is protected through a native handle of this process.
    const wanted = rule.startsWith("composer.protected") ? "not-applicable" : status;
    assertEquals(found.get(rule), wanted, rule);
  }
  assert(verdicts.every(({ own }) => own === "provided"));
});

Deno.test("checkComposer() tells what a vendor's composer lacks that leaves all layers to the client", {
  ...needs("C compiler (cc)", compileFixture("hwc2_vendor")),
}, async () => {
  warmFences();
  await using composer = openHwc2(compileFixture("hwc2_vendor")!);
  const { verdicts } = await checkComposer(composer, { passes: 100 });
  const statuses = new Map(verdicts.map(({ rule, status, found }) => [rule, `${status}: ${found}`]));
  assertEquals(statuses.get("composer.functions.required"), "pass: all 42 are there");
  assertMatch(statuses.get("composer.layers.composed")!, /^fail: 1 of the layers/);
  assertMatch(statuses.get("composer.virtual.made")!, /^not-applicable: it makes no virtual displays/);
});

Deno.test("checkComposer() judges no frame that the composer flattened while the check was busy", async () => {
  const clock = new ManualClock(), panels = [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }];
  using composer = createReferenceComposer({ clock, planes: eightPlane(), panels, flattenAfter: 1000 });
  const pass = async () => {
    clock.advance(VSYNC);
    await new Promise((resolve) => setTimeout(resolve));
  };
  const allocate = (request: BufferRequest) => {
    clock.advance(1_100_000_000n); // a slow allocator
    return allocateBuffer(request);
  };
  const { verdicts } = await checkComposer(composer, { pass, passes: 20, allocate });
  const found = verdicts.filter(({ status }) => status !== "pass").map(({ rule, status }) => [rule, status]);
  assertEquals(Object.fromEntries(found), EXPECTED["eight-plane"]);
  const displays: bigint[] = [];
  composer.registerCallback(CALLBACK.HOTPLUG, (display) => void displays.push(display));
  assert(composer.statistics(displays[0]).flattened > 1);
});

Deno.test("checkComposer() fails a composer that tells of no display", async () => {
  const verdicts = await verdictsOf({}, () => ({ registerCallback: () => {} }));
  assertEquals([...verdicts.values()].map(({ rule, status, found }) => [rule, status, found]), [
    ["composer.hotplug.at-once", "fail", "no display was told of"],
  ]);
});
