import { assertStringIncludes } from "@std/assert";
import { compareDrivers } from "../../../../workbench/recordings/mod.ts";
import { provenScript } from "../../../../workbench/recordings/script/proven_script.ts";
import type { Writer } from "../../../../workbench/programs/writer.ts";
import { type RecordedStream, writeRecording } from "../../../../workbench/layers.ts";
import * as vk from "../../../../loader/vk.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { program, ROOM } from "../compare/tolerances/programs.ts";

const LAYER = new URL("../compare/programs/planted_layer.ts", import.meta.url).pathname;
/** Milliseconds that a test may take. */
const PATIENCE = 60_000;
/** More texels in a row than one workgroup reads. */
const EXTENT = { width: 16, height: 2, depth: 1 };
/** The part of the image that only one driver clears, which begins where a second workgroup reads. */
const CLEARED = { offset: { x: 9, y: 1 }, extent: { width: 4, height: 1 } };
const SAMPLES = 4;
/** Numbers that sRGB formats store otherwise than linear ones, dark and light, and an alpha that is linear in both. */
const DARK = [0.002, 0.05, 0.2, 0.4], LIGHT = [0.7, 0.001, 0.9, 0.6];

/** A program that clears an image of several samples, and then a part of that image otherwise. */
function clearing(format: number): RecordedStream {
  return program(({ writer, memory }) => {
    const image = writer.create("VkImage", {
      flags: 0,
      imageType: vk.VK_IMAGE_TYPE_2D,
      format,
      extent: EXTENT,
      mipLevels: 1,
      arrayLayers: 1,
      samples: SAMPLES,
      tiling: vk.VK_IMAGE_TILING_OPTIMAL,
      usage: vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
      sharingMode: 0,
      initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
    });
    memory.bindImage(image, ROOM);
    const [renderPass, framebuffer] = passOver(writer, image, format);
    writer.command("vkCmdBeginRenderPass", {
      pRenderPassBegin: {
        renderPass,
        framebuffer,
        renderArea: { offset: { x: 0, y: 0 }, extent: { width: EXTENT.width, height: EXTENT.height } },
        pClearValues: [{ color: { float32: DARK } }],
      },
      contents: vk.VK_SUBPASS_CONTENTS_INLINE,
    });
    writer.command("vkCmdClearAttachments", {
      pAttachments: [{ aspectMask: 1, colorAttachment: 0, clearValue: { color: { float32: LIGHT } } }],
      pRects: [{ rect: CLEARED, baseArrayLayer: 0, layerCount: 1 }],
    });
    writer.command("vkCmdEndRenderPass");
  });
}

/** A pass that clears the whole of an image, with its framebuffer. */
function passOver(writer: Writer, image: string, format: number): [renderPass: string, framebuffer: string] {
  const renderPass = writer.create("VkRenderPass", {
    pAttachments: [{
      format,
      samples: SAMPLES,
      loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
      storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
      stencilLoadOp: vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      stencilStoreOp: vk.VK_ATTACHMENT_STORE_OP_DONT_CARE,
      initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
      finalLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
    }],
    pSubpasses: [{
      pipelineBindPoint: vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
      pColorAttachments: [{ attachment: 0, layout: vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL }],
    }],
  });
  const view = writer.create("VkImageView", {
    image,
    viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
    format,
    components: { r: 0, g: 0, b: 0, a: 0 },
    subresourceRange: { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 },
  });
  const { width, height } = EXTENT;
  return [renderPass, writer.create("VkFramebuffer", { renderPass, pAttachments: [view], width, height, layers: 1 })];
}

/** The script of a program of which one driver leaves out the second clear. */
async function scriptOf(stream: RecordedStream): Promise<string> {
  const driver = lavapipePath()!, drivers = [{ driver }, { driver, layers: [LAYER] }] as const;
  Deno.env.set("PLANT", JSON.stringify({ command: "vkCmdClearAttachments", nth: 0, change: "drop" }));
  return await withFolderAsync(async (folder) => {
    const path = `${folder}/program.jsonl`;
    writeRecording(path, stream);
    const { finding } = await compareDrivers(path, drivers);
    const [one, other] = drivers.map((each) => ({ ...each, identity: undefined }));
    const source = { stream, finding, drivers: [one, other] as const };
    const script = await provenScript(source, { timeout: PATIENCE, tries: 1 });
    return "text" in script ? script.text : script.missing;
  });
}

const FORMATS = {
  "linear": vk.VK_FORMAT_R8G8B8A8_UNORM,
  "sRGB": vk.VK_FORMAT_B8G8R8A8_SRGB,
};
for (const [name, format] of Object.entries(FORMATS)) {
  Deno.test(
    `a script reads the sample that differs by a shader, so that its test passes on driver A and fails on driver B: ${name} formats`,
    needs("Mesa lavapipe", lavapipePath()),
    async () => {
      const text = await scriptOf(clearing(format));
      assertStringIncludes(text, "compute({");
      assertStringIncludes(text, "at 9, 1, layer 0");
    },
  );
}
