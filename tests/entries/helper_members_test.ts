import { assert, assertEquals } from "@std/assert";
import { publicDocs } from "./docs.ts";

/** Types whose members a page lists, because readers look for them there. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  "driver-tests": [
    ...["GpuTestOptions", "GpuRequirements", "Budget", "Tolerance", "GoldenOptions", "DrawOptions", "ComputeOptions"],
    ...["ShaderInputs", "GpuImageOptions", "GpuImage", "GpuBuffer", "SamplerOptions", "GraphicsPipelineInfo"],
    ...["GpuTools", "OpenedDevice"],
  ],
  shaders: ["OpenGpuOptions", "GpuRequirements", "DeviceCriteria"],
  windows: ["GpuSwapchainOptions"],
  composer: ["LayerState", "LayerOptions"],
};
/** Members that no page explains: the device's own facts, and what a test's report uses. */
const LEFT_OUT = ["timestampBits"];

interface Member {
  readonly name: string;
}

/** The properties and methods of each public interface. */
async function members(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const { name, declarations } of Object.values(await publicDocs()).flat()) {
    for (const { kind, def } of declarations) {
      const { properties = [], methods = [] } = (def ?? {}) as { properties?: Member[]; methods?: Member[] };
      if (kind === "interface") found.set(name, [...properties, ...methods].map((each) => each.name));
    }
  }
  return found;
}

for (const [page, types] of Object.entries(LISTED)) {
  Deno.test(`docs/${page}.md names every member of what its functions take`, async () => {
    const text = Deno.readTextFileSync(new URL(`../../docs/${page}.md`, import.meta.url)), all = await members();
    const words = new Set([...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code.match(/\w+/g) ?? []));
    const missing = types.flatMap((type) => {
      const names = all.get(type) ?? [];
      assert(names.length > 0, `there is no interface ${type}`);
      return names.filter((name) => /^\w+$/.test(name) && !LEFT_OUT.includes(name) && !words.has(name))
        .map((name) => `${type}.${name}`);
    });
    assertEquals(missing, []);
  });
}
