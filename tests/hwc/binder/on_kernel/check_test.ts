import { assertEquals } from "@std/assert";
import { connectComposer, serveComposer } from "../../../../hwc/mod.ts";
import { eightPlane } from "../../../../hwc/planes/models.ts";
import { createReferenceComposer } from "../../../../hwc/simulated/reference_composer.ts";
import { CALLERS_OWN, statusesOf, warmRelayedFence } from "../binder_subject.ts";
import { assertNothingKept, inUse, ON_BINDER, TestDevice } from "../driver/on_binder.ts";
import { Program } from "./processes.ts";

const PANELS = [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }];
for (const as of ["aidl", "hidl"] as const) {
  Deno.test(
    `a check over ${as} of the kernel's binder finds what a check in one process finds`,
    ON_BINDER,
    async () => {
      // Frames of the emulated machine come late: the composer takes many pictures for ones that rest.
      await warmRelayedFence();
      using composer = createReferenceComposer({ planes: eightPlane(), panels: PANELS, flattenAfter: 100 });
      using device = new TestDevice();
      const before = inUse();
      const manager = await Program.start("manager", device.path, as);
      {
        await using _served = await serveComposer(composer, { as, binder: device.path });
        await using far = await connectComposer({ service: "default", as, binder: device.path });
        const found = await statusesOf(far);
        const other = [...found].filter(([, status]) => status !== "pass").map(([rule]) => rule);
        assertEquals(other.sort(), CALLERS_OWN); // in one process, eight planes pass everything
        assertEquals([...found.values()].filter((status) => status === "fail"), []);
      }
      await manager.kill();
      await assertNothingKept(before);
    },
  );
}
