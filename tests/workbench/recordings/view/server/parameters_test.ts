import { assertEquals } from "@std/assert";
import { Parameters } from "../../../../../workbench/recordings/view/server/parameters.ts";

const parameters = new Parameters();

Deno.test("Parameters have enumerants and flags by name, and structs of a chain by theirs", () => {
  const found = parameters.ofCall("vkCreateImage", {
    device: "VkDevice#1",
    pCreateInfo: {
      pNext: [{ sType: "VkImageFormatListCreateInfo", pViewFormats: [37, 43] }],
      imageType: 1,
      format: 37,
      usage: 0x16,
      samples: 1,
    },
  });
  assertEquals(found[0], { name: "device", type: "VkDevice", text: "VkDevice#1" });
  const [chain, ...members] = found[1].inside!;
  assertEquals(found[1].type, "VkImageCreateInfo");
  assertEquals(members.map(({ name, text }) => `${name} ${text}`), [
    "imageType VK_IMAGE_TYPE_2D",
    "format VK_FORMAT_R8G8B8A8_UNORM",
    "usage VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT",
    "samples VK_SAMPLE_COUNT_1_BIT",
  ]);
  const [list] = chain.inside!, formats = list.inside!.find(({ name }) => name === "pViewFormats")!.inside!;
  assertEquals(list.type, "VkImageFormatListCreateInfo");
  assertEquals(formats.map(({ text }) => text), ["VK_FORMAT_R8G8B8A8_UNORM", "VK_FORMAT_R8G8B8A8_SRGB"]);
});

Deno.test("Parameters bear what no registry has: unknown commands, structs, values and depths", () => {
  assertEquals(parameters.ofCall("vkUnknown", { what: 1, x: { y: [true, null, "z"] } }), [
    { name: "what", type: "", text: "1" },
    {
      name: "x",
      type: "",
      inside: [{
        name: "y",
        type: "",
        inside: [{ name: "0", type: "", text: "true" }, { name: "1", type: "", text: "null" }, {
          name: "2",
          type: "",
          text: "z",
        }],
      }],
    },
  ]);
  const [format] = parameters.ofStruct("VkImageCreateInfo", { format: "not a number" });
  assertEquals(format.text, "not a number");
  assertEquals(parameters.ofStruct("VkImageCreateInfo", { format: 1.5 })[0].text, "1.5");
  assertEquals(parameters.ofStruct("VkNothing; drop", { pNext: { sType: "VkAlsoNothing", a: 1 } })[0].inside, [{
    name: "sType",
    type: "",
    text: "VkAlsoNothing",
  }, { name: "a", type: "", text: "1" }]);
  assertEquals(
    parameters.ofCall("vkCmdUpdateBuffer", {
      pData: { bytes: "0011223344" },
      more: { data: "abc" },
      far: { foreign: "0x10" },
    }).map(({ text }) => text),
    [
      "5 bytes: 00112233 44",
      "bytes with the SHA-256 abc",
      "0x10, an address outside of the program",
    ],
  );
});

Deno.test("Parameters show the beginning of a long list, and say how long it is", () => {
  const [list] = parameters.ofCall("vkX", { list: Array.from({ length: 1000 }, (_, at) => at) });
  assertEquals([list.inside!.length, list.inside!.at(-1)!.text], [257, "1000 in all"]);
});
