/**
 * A recording of quads that lie over each other, and how many fragments each texel has, counted one by one.
 *
 * @module
 */
import * as vk from "../../../../../loader/vk.ts";
import type { VkCommandBuffer } from "../../../../../loader/types.ts";
import { openGpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { apiRecording } from "../../../../../workbench/layers.ts";
import { compileShader } from "../../../../support/compile_shader.ts";

/** Texels of the attachments from left to right, and from top to bottom. */
export const WIDTH = 24, HEIGHT = 16;
const VERTEX = `#version 450
layout(push_constant) uniform Push { vec4 rect; float depth; float step; } push;
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  gl_Position = vec4(mix(push.rect.xy, push.rect.zw, corner), push.depth + push.step * gl_InstanceIndex, 1.0);
}`;
const FRAGMENT = `#version 450
layout(set = SET, binding = 0) uniform Colour { vec4 value; } colour;
layout(location = 0) out vec4 color;
void main() { color = colour.value; }`;
const SIZE = 24, STAGES = vk.VK_SHADER_STAGE_VERTEX_BIT | vk.VK_SHADER_STAGE_FRAGMENT_BIT;

/** A draw of the scene: quads of whole texels, one behind or in front of the other. */
interface Quads {
  readonly rect: readonly [left: number, top: number, right: number, bottom: number];
  readonly depth: number;
  /** The quads, and how much deeper each one lies. */
  readonly instances?: number;
  readonly step?: number;
  readonly scissor?: readonly [left: number, right: number];
  /** The pipeline: with one set, with two, or without a fragment shader. */
  readonly pipeline?: "one" | "two" | "depth alone";
}

/** The draws, in order. */
export const QUADS: readonly Quads[] = [
  { rect: [0, 0, 24, 16], depth: 0.75 },
  { rect: [2, 2, 12, 10], depth: 0.5, pipeline: "two" },
  { rect: [4, 1, 20, 14], depth: 0.625, instances: 3, step: -0.0625 },
  { rect: [4, 1, 20, 14], depth: 0.25, instances: 3, step: 0.125, scissor: [6, 15] },
  { rect: [0, 8, 8, 16], depth: 0.375, pipeline: "depth alone" },
  { rect: [0, 0, 24, 16], depth: 0.4375, pipeline: "two", instances: 2, step: 0.25 },
  { rect: [10, 3, 11, 4], depth: 0.875 },
];

/** The fragments of each texel after the first so many draws: all, and those that pass the test of depth. */
export function fragmentsOf(draws: number): { readonly all: number[]; readonly tested: number[] } {
  const all = new Array(WIDTH * HEIGHT).fill(0), tested = all.slice(), depths = all.map(() => 1);
  for (
    const { rect: [left, top, right, bottom], depth, instances = 1, step = 0, scissor = [0, WIDTH] } of QUADS.slice(
      0,
      draws,
    )
  ) {
    for (let instance = 0; instance < instances; instance++) {
      for (let y = top; y < bottom; y++) {
        for (let x = Math.max(left, scissor[0]); x < Math.min(right, scissor[1]); x++) {
          const at = y * WIDTH + x, deep = depth + step * instance;
          all[at]++;
          if (deep >= depths[at]) continue;
          tested[at]++;
          depths[at] = deep;
        }
      }
    }
  }
  return { all, tested };
}

/** Records the scene. */
export function recordQuads(path: string, driver: string, isSecondary = false): void {
  using recording = apiRecording({ path });
  {
    using gpu = openGpu({ driver, layers: [recording.layer] });
    const { ownedDevice: device } = gpu, extent = { width: WIDTH, height: HEIGHT };
    const viewOf = (format: number, usage: number) =>
      gpu.view(gpu.bareImage({ format: format as never, extent, usage: usage | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT }));
    const CLEAR = { loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR, initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED };
    const pass = gpu.renderPass([
      { ...CLEAR, view: viewOf(vk.VK_FORMAT_R8G8B8A8_UNORM, vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) },
      { ...CLEAR, view: viewOf(vk.VK_FORMAT_D32_SFLOAT, vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) },
    ]);
    const colour = (value: number[]) =>
      gpu.descriptorSet([{
        descriptorType: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
        stageFlags: vk.VK_SHADER_STAGE_FRAGMENT_BIT,
        pBufferInfo: [{ buffer: gpu.buffer(new Float32Array(value)).buffer }],
      }]);
    const sets = [colour([0.25, 0.5, 0.75, 1]), colour([1, 0.5, 0, 1])];
    const push = { stageFlags: STAGES, size: SIZE };
    const layouts = [1, 2].map((count) =>
      device.vkCreatePipelineLayout({
        pSetLayouts: sets.slice(0, count).map(({ layout }) => layout),
        pPushConstantRanges: [push],
      })
    );
    const shader = (source: string, end: string) => compileShader(source, "vulkan1.0", end) as never;
    const vertex = shader(VERTEX, "vert"),
      fragments = [0, 1].map((set) => shader(FRAGMENT.replace("SET", `${set}`), "frag"));
    const module = device.vkCreateShaderModule({ pCode: vertex });
    const common = {
      pInputAssemblyState: { topology: vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP },
      pDepthStencilState: { depthTestEnable: true, depthWriteEnable: true, depthCompareOp: vk.VK_COMPARE_OP_LESS },
      pDynamicState: { pDynamicStates: [vk.VK_DYNAMIC_STATE_SCISSOR] },
      renderPass: pass.renderPass,
    } as const;
    const pipelines = {
      one: gpu.graphicsPipeline({ ...common, vertex, fragment: fragments[0], layout: layouts[0] }),
      two: gpu.graphicsPipeline({ ...common, vertex, fragment: fragments[1], layout: layouts[1] }),
      "depth alone": gpu.graphicsPipeline({
        ...common,
        pStages: [{ stage: vk.VK_SHADER_STAGE_VERTEX_BIT, module, pName: "main" }],
        pColorBlendState: { pAttachments: [{ colorWriteMask: 0 as never }] },
        layout: layouts[0],
      }),
    };
    const record = (commands: VkCommandBuffer) => {
      commands.vkCmdBindDescriptorSets(
        vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
        layouts[1],
        0,
        sets.map(({ set }) => set),
        [],
      );
      for (const { rect, depth, step = 0, instances = 1, scissor = [0, WIDTH], pipeline = "one" } of QUADS) {
        const corners = rect.map((each, at) => 2 * each / (at % 2 === 0 ? WIDTH : HEIGHT) - 1);
        const values = new Float32Array([...corners, depth, step]);
        commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[pipeline]);
        commands.vkCmdPushConstants(layouts[1], STAGES, 0, values);
        commands.vkCmdSetScissor(0, [{
          offset: { x: scissor[0], y: 0 },
          extent: { width: scissor[1] - scissor[0], height: HEIGHT },
        }]);
        commands.vkCmdDraw(4, instances, 0, 0);
      }
    };
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [secondary] = device.vkAllocateCommandBuffers({
      commandPool,
      level: vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY,
      commandBufferCount: 1,
    });
    if (isSecondary) {
      const pInheritanceInfo = { renderPass: pass.renderPass, subpass: 0 };
      secondary.vkBeginCommandBuffer({ flags: vk.VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, pInheritanceInfo });
      record(secondary);
      secondary.vkEndCommandBuffer();
    }
    gpu.submit((commands) => {
      const pClearValues = [{ color: { float32: [0, 0, 0, 0] as never } }, { depthStencil: { depth: 1, stencil: 0 } }];
      commands.vkCmdBeginRenderPass(
        { ...pass, pClearValues } as never,
        isSecondary ? vk.VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : vk.VK_SUBPASS_CONTENTS_INLINE,
      );
      if (isSecondary) commands.vkCmdExecuteCommands([secondary]);
      else record(commands);
      commands.vkCmdEndRenderPass();
    });
  }
  recording.close();
  if (recording.error !== undefined || recording.gaps.length > 0) throw recording.error ?? recording.gaps;
}
