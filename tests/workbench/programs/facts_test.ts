import { assert, assertEquals } from "@std/assert";
import { commonFacts, fuzzFacts } from "../../../workbench/programs/facts.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { everything, little } from "./everything.ts";

Deno.test("commonFacts() keeps what all drivers can do", () => {
  const one = {
    ...everything(),
    formats: { 9: 0xc007, 37: 0xc001 },
    buffers: { 9: 0x40, 11: 0x40 },
    samples: { 9: 5, 37: 1 },
  };
  const other = { ...little(), formats: { 9: 0xc00b, 44: 0xc001 }, buffers: { 11: 0x48 }, samples: { 9: 1, 44: 5 } };
  assertEquals(commonFacts([one, other]), {
    apiVersion: little().apiVersion,
    formats: { 9: 0xc003 },
    buffers: { 11: 0x40 },
    samples: { 9: 1 },
    features: [],
  });
  assertEquals(commonFacts([one]), one);
});

Deno.test("fuzzFacts() tells the formats that every driver must have", needs("Mesa lavapipe", lavapipePath()), () => {
  using vulkan = loadVulkan({ driver: lavapipePath()! });
  const { formats, buffers, samples, apiVersion } = fuzzFacts(vulkan);
  assert((formats[37] & 0xdd83) === 0xdd83, "VK_FORMAT_R8G8B8A8_UNORM");
  assert((buffers[109] & 0x40) !== 0, "VK_FORMAT_R32G32B32A32_SFLOAT in vertex buffers");
  assert((samples[37] & 5) === 5);
  assert(apiVersion >= little().apiVersion);
});
