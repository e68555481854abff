import { assert, assertEquals } from "@std/assert";
import { runStream } from "../../../../../workbench/recordings/compare/driver_process/run.ts";
import { fuzzFacts } from "../../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../../workbench/programs/generate.ts";
import { loadVulkan, type Vulkan } from "../../../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../../../tools/setup/parts.ts";
import { needs } from "../../../../support/require.ts";

const PROGRAMS = 10, ACTIONS = 12;
const parts = [needs("Mesa lavapipe", lavapipePath()), needs("Khronos validation layer", validationManifest())];

Deno.test(
  "contents of all kinds of images are read without an error of validation, one layer and sample after the other",
  {
    ignore: parts.some(({ ignore }) => ignore),
  },
  () => {
    const driver = lavapipePath()!, errors: string[] = [], kinds = new Set<string>();
    using plain = loadVulkan({ driver });
    using vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
    const facts = fuzzFacts(plain as Vulkan);
    for (let seed = 0; seed < PROGRAMS; seed++) {
      runStream(vulkan as Vulkan, generateProgram(facts, { seed, actions: ACTIONS }).recording, {
        timeout: 60_000,
        onError: (message) => errors.push(`program ${seed}: ${message}`),
        onRest({ readable, read }) {
          const all = read();
          for (const [index, { image }] of readable.entries()) {
            assert(all[index].length > 0);
            kinds.add(!image ? "buffer" : image.samples > 1 ? "samples" : image.layers.length > 1 ? "layers" : "image");
          }
          return true;
        },
      });
    }
    assertEquals(errors, []);
    assertEquals([...kinds].sort(), ["buffer", "image", "layers", "samples"]);
  },
);
