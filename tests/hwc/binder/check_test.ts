import { assert, assertEquals } from "@std/assert";
import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import { connectHidl } from "../../../hwc/binder/hidl/connect.ts";
import { composerService, type ComposerServiceOptions } from "../../../hwc/binder/serve.ts";
import type { AsyncComposer } from "../../../hwc/composer.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { refer, Side } from "./in_process_bus.ts";
import { CALLERS_OWN, statusesOf, warmRelayedFence } from "./binder_subject.ts";

/** A fast panel, for the check waits for vsyncs. */
const PANELS = [{ modes: [{ width: 64, height: 48, refreshRate: 240 }] }];
const newComposer = () => createReferenceComposer({ planes: eightPlane(), panels: PANELS, flattenAfter: 0 });

async function overBinder(composer: AsyncComposer, options: ComposerServiceOptions): Promise<Map<string, string>> {
  await warmRelayedFence();
  const service = composerService(composer, options), remote = refer(new Side(), service.object, new Side());
  const far = await (options.as === "hidl" ? connectHidl(remote) : connectAidl(remote, 16));
  const statuses = await statusesOf(far);
  await far[Symbol.asyncDispose]();
  await service.close();
  return statuses;
}

const LANGUAGES: readonly ComposerServiceOptions[] = [
  ...[1, 2, 3, 4].map((version) => ({ as: "aidl" as const, version })),
  ...[2.1, 2.2, 2.3, 2.4].map((version) => ({ as: "hidl" as const, version })),
];

for (const options of LANGUAGES) {
  Deno.test(`a check over ${options.as} ${options.version} finds what a check in this process finds`, async () => {
    using here = newComposer();
    using there = newComposer();
    const direct = await statusesOf(here), far = await overBinder(there, options);
    const different = [...far].filter(([rule, status]) => direct.get(rule) !== status).map(([rule]) => rule);
    assertEquals(different.sort(), CALLERS_OWN);
    assertEquals([...far.values()].filter((status) => status === "fail"), []);
    assertEquals([...far.keys()], [...direct.keys()]);
  });
}

for (const as of ["aidl", "hidl"] as const) {
  Deno.test(`a composer behind ${as} that takes unknown layers fails, although commands are collected`, async () => {
    using composer = newComposer();
    const statuses = await overBinder({ ...composer, setLayerZOrder: () => {} }, { as });
    assertEquals([...statuses].filter(([, status]) => status === "fail").map(([rule]) => rule), [
      "composer.handles.checked",
    ]);
  });
}

for (const as of ["aidl", "hidl"] as const) {
  Deno.test(`buffers in tiles come with their modifiers over ${as}, and those in rows as before`, async () => {
    using composer = newComposer();
    const seen = new Set<bigint | undefined>();
    const setLayerBuffer: typeof composer.setLayerBuffer = (display, layer, buffer, fence) => {
      seen.add(buffer?.modifier);
      composer.setLayerBuffer(display, layer, buffer, fence);
    };
    await overBinder({ ...composer, setLayerBuffer }, { as });
    for (const modifier of [MODIFIER.LINEAR, MODIFIER.I915_X_TILED, MODIFIER.I915_Y_TILED]) assert(seen.has(modifier));
  });
}
