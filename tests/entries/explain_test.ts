import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import * as egl from "../../egl/mod.ts";
import * as hwc from "../../hwc/mod.ts";
import * as loader from "../../loader/mod.ts";
import { NEEDS_TINY, TINY } from "../loader/tiny.ts";
import { homeScreen, PORTRAIT } from "../hwc/planes/scenes.ts";
import { publicDocs } from "./docs.ts";

/** A member of a class or an interface that documentation lists. */
interface DocMember {
  readonly name: string;
  readonly returnType?: unknown;
  readonly functionDef?: { readonly returnType?: unknown };
}

/** Types of the public entries that have explain(), and the type of what explain() returns, as far as the name tells. */
async function explainers(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, declarations } of Object.values(await publicDocs()).flat()) {
    for (const { def } of declarations) {
      const { methods = [] } = (def ?? {}) as { methods?: readonly DocMember[] };
      const method = methods.find((each) => each.name === "explain");
      if (method) found[name] = typeText(method.returnType ?? method.functionDef?.returnType);
    }
  }
  return found;
}

function typeText(type: unknown): string {
  const { kind, value, repr } = type as { kind: string; value: unknown; repr?: string };
  return kind === "array" ? `${typeText(value)}[]` : repr ?? kind;
}

Deno.test("every explain() returns findings", async () => {
  const found = await explainers();
  assertEquals(found, { Vulkan: "Finding[]", Egl: "Finding[]", FramePlan: "PlaneFinding[]" });
  // Members that the composer's findings have more leave them findings: this would not type-check otherwise.
  const findings: loader.Finding[] = [] as hwc.PlaneFinding[];
  assertEquals(findings, []);
});

Deno.test("explainText() is the one way from findings to text, in every entry that has an explain()", () => {
  assertStrictEquals(egl.explainText, loader.explainText);
  assertStrictEquals(hwc.explainText, loader.explainText);
});

Deno.test("JSON takes what a loader and a composer's plan explain, and text has every reason", NEEDS_TINY, () => {
  using vulkan = loader.loadVulkan({ driver: TINY! });
  const plan = hwc.firstLayers(1).plan(homeScreen(), hwc.fourPlane(), PORTRAIT);
  for (const findings of [vulkan.explain(), plan.explain()]) {
    assert(findings.length > 0);
    assertEquals(JSON.parse(JSON.stringify(findings)), findings.map(withoutAbsent));
    const text = loader.explainText(findings);
    for (const { subject, path, reason } of findings) {
      assert(text.includes(path) && text.includes(reason), `${subject} ${path}: ${text}`);
    }
  }
});

/** JSON leaves absent members out. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutAbsent(each)]));
}
