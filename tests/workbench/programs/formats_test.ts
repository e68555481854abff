import { assertEquals } from "@std/assert";
import { allFormats, type Format, formatName } from "../../../workbench/programs/formats.ts";
import * as vk from "../../../loader/vk.ts";

/** Formats as they are packed, told by hand. */
const TOLD: readonly (Omit<Format, "block"> & Partial<Format>)[] = [
  {
    value: vk.VK_FORMAT_ASTC_10x5_SRGB_BLOCK,
    name: "ASTC_10x5_SRGB_BLOCK",
    numbers: "block",
    bytes: 16,
    fields: [],
    block: [10, 5],
  },
  { value: vk.VK_FORMAT_R16G16_SSCALED, name: "R16G16_SSCALED", numbers: "sscaled", bytes: 4, fields: [16, 16] },
  { value: vk.VK_FORMAT_R64G64_SFLOAT, name: "R64G64_SFLOAT", numbers: "float", bytes: 16, fields: [64, 64] },
  {
    value: vk.VK_FORMAT_A2R10G10B10_SNORM_PACK32,
    name: "A2R10G10B10_SNORM_PACK32",
    numbers: "snorm",
    bytes: 4,
    fields: [10, 10, 10, 2],
  },
  {
    value: vk.VK_FORMAT_R5G6B5_UNORM_PACK16,
    name: "R5G6B5_UNORM_PACK16",
    numbers: "unorm",
    bytes: 2,
    fields: [5, 6, 5],
  },
  {
    value: vk.VK_FORMAT_R5G5B5A1_UNORM_PACK16,
    name: "R5G5B5A1_UNORM_PACK16",
    numbers: "unorm",
    bytes: 2,
    fields: [1, 5, 5, 5],
  },
  { value: vk.VK_FORMAT_B8G8R8A8_SRGB, name: "B8G8R8A8_SRGB", numbers: "srgb", bytes: 4, fields: [8, 8, 8, 8] },
  { value: vk.VK_FORMAT_R16G16B16_SFLOAT, name: "R16G16B16_SFLOAT", numbers: "float", bytes: 6, fields: [16, 16, 16] },
  {
    value: vk.VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
    name: "E5B9G9R9_UFLOAT_PACK32",
    numbers: "shared",
    bytes: 4,
    fields: [9, 9, 9, 5],
  },
  { value: vk.VK_FORMAT_X8_D24_UNORM_PACK32, name: "X8_D24_UNORM_PACK32", numbers: "depth", bytes: 4, fields: [24] },
  { value: vk.VK_FORMAT_S8_UINT, name: "S8_UINT", numbers: "stencil", bytes: 1, fields: [8] },
  { value: vk.VK_FORMAT_D32_SFLOAT_S8_UINT, name: "D32_SFLOAT_S8_UINT", numbers: "both", bytes: 4, fields: [32] },
];

Deno.test("allFormats() describes the formats of the registry", () => {
  const all = allFormats();
  for (const told of TOLD) {
    assertEquals<unknown>(all.find(({ value }) => value === told.value), { block: [1, 1], ...told });
  }
  assertEquals(new Set(all.map(({ value }) => value)).size, all.length);
  const constants: Readonly<Record<string, unknown>> = vk;
  for (const { value, name } of all) assertEquals(constants[`VK_FORMAT_${name}`], value);
});

Deno.test("allFormats() keeps its order, because programs choose by index", () => {
  const values = allFormats().map(({ value }) => value), packed = values.indexOf(vk.VK_FORMAT_R4G4_UNORM_PACK8);
  assertEquals([values.length, packed], [184, 101]);
  assertEquals(values[0], vk.VK_FORMAT_R8_UNORM);
  const compressed = values.indexOf(vk.VK_FORMAT_BC1_RGB_UNORM_BLOCK);
  for (const part of [values.slice(0, packed), values.slice(packed, compressed), values.slice(compressed)]) {
    assertEquals(part, part.toSorted((one, other) => one - other));
  }
  assertEquals(values.length, vk.VK_FORMAT_ASTC_12x12_SRGB_BLOCK, "all of Vulkan 1.0");
});

Deno.test("formatName() names formats that no program uses, too", () => {
  assertEquals(formatName(vk.VK_FORMAT_BC7_SRGB_BLOCK), "BC7_SRGB_BLOCK");
  assertEquals(formatName(-1), "format -1");
});
