import { assertEquals, assertNotEquals } from "@std/assert";
import { deviceLimits } from "../../../workbench/layers.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import type { VulkanCheckOptions } from "../../../loader/requirements/run_check.ts";
import { checkVulkan } from "../../../wsi/check_vulkan.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { perfectDevice } from "../../loader/requirements/perfect_device.ts";
import { needs } from "../../support/require.ts";
import { steadyWorker } from "../adaptor/steady_worker.ts";
import { type Mutation, MUTATIONS } from "./mutations.ts";

/** A phone that earns everything. */
const PHONE: VulkanCheckOptions = {
  driver: lavapipePath(),
  release: 17,
  deqpLevel: "2026-03-01",
  glesVersion: [3, 2],
  claims: { level: 1, version: 0x404000, compute: 0 },
};
/** Rules that report and never pass: nothing that is asked of a driver replaces its tests. */
const REPORTS: readonly string[] = ["vulkan.conformance"];
/** Rules that the perfect phone passes only without what is newer than the known lists. */
const UNKNOWN: readonly string[] = ["vulkan.exposed-extensions"];
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());

function verdictsOf({ limits: lies, layer, options }: Pick<Mutation, "limits" | "layer" | "options">, only?: string) {
  using liar = disposable(layer?.());
  const top = [...liar.layer ? [liar.layer] : [], ...lies ? [deviceLimits(lies).layer] : []];
  return checkVulkan({ ...PHONE, ...options, layers: [...top, ...perfectDevice()], ...only ? { only: [only] } : {} });
}

function disposable<T extends Partial<Disposable>>(layer: T | undefined): { layer?: T } & Disposable {
  return { layer, [Symbol.dispose]: () => layer?.[Symbol.dispose]?.() };
}

/** The report about the perfect phone; asked once. */
let perfect: ReturnType<typeof checkVulkan> | undefined;

function goodOf({ good }: Mutation, rule: string): Verdict {
  if (good) return verdictOf(good, rule);
  return (perfect ??= verdictsOf({})).verdicts.find((each) => each.rule === rule)!;
}

function verdictOf(mutation: Mutation["good"] & Pick<Mutation, "layer">, rule: string): Verdict {
  return verdictsOf(mutation, rule).verdicts.find((each) => each.rule === rule)!;
}

Deno.test(
  "checkVulkan() passes a device that has everything, and there is a lie for each of its rules",
  LAVAPIPE,
  () => {
    using _worker = steadyWorker();
    const { verdicts, features, devices, cpuOnly } = perfect = verdictsOf({});
    const notPassed = verdicts.filter(({ status }) => status !== "pass");
    assertEquals(
      notPassed.map(({ rule, status }) => [rule, status]),
      [...REPORTS, ...UNKNOWN].map((rule) => [rule, "report"]),
    );
    assertEquals(features, { level: 1, version: 0x404000, compute: 0, deqpLevel: 0x7ea0301 });
    assertEquals([cpuOnly, devices.length, devices[0].profiles.every(({ supported }) => supported)], [false, 1, true]);
    assertEquals(verdicts.map(({ rule }) => rule).sort(), Object.keys(MUTATIONS).sort());
  },
);

for (const [rule, mutation] of Object.entries(MUTATIONS)) {
  const second = mutation.options?.driver ? needs("SwiftShader", swiftshaderPath()) : LAVAPIPE;
  const parts = { ignore: LAVAPIPE.ignore || second.ignore };
  Deno.test(`checkVulkan() catches a driver that lies about ${rule}`, parts, () => {
    using _worker = steadyWorker();
    const good = goodOf(mutation, rule), bad = verdictOf(mutation, rule);
    assertEquals(
      [good.status, bad.status],
      [REPORTS.includes(rule) ? "report" : "pass", mutation.to ?? "fail"],
      bad.found,
    );
    assertNotEquals(good.found, bad.found);
    assertEquals([good.advice, bad.advice !== ""], ["", bad.status === "fail"]);
  });
}
