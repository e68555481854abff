/**
 * A recording of draws whose vertex shader has outputs of many types, which TypeScript computes, too.
 *
 * @module
 */
import * as vk from "../../../../../loader/vk.ts";
import type { VkCommandBuffer } from "../../../../../loader/types.ts";
import { openGpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { apiRecording } from "../../../../../workbench/layers.ts";
import { compileShader } from "../../../../support/compile_shader.ts";

const SIDE = 16, SCALE = 0.5;
/** The vertex shader: all that it computes is exact in floats of 32 bits. */
export const VERTEX = `#version 450
layout(constant_id = 0) const float scale = 1.0;
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 shift;
layout(set = 0, binding = 0) uniform Scene { vec4 tint; } scene;
layout(location = 0) out vec2 uv;
layout(location = 1) flat out uvec3 ids;
layout(location = 2) out mat3 basis;
layout(location = 5) out float weights[2];
layout(location = 8) out Block { vec4 tint; flat int number; } block;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
void main() {
  gl_Position = vec4(position.xy * scale + shift, position.z, 2.0);
  gl_PointSize = 1.0;
  uv = position.yx;
  ids = uvec3(gl_VertexIndex, gl_InstanceIndex, 7u);
  basis = mat3(position, position * 2.0, vec3(shift, 1.0));
  weights[0] = position.x + shift.x;
  weights[1] = position.y - shift.y;
  block.tint = scene.tint * position.x;
  block.number = -gl_VertexIndex;
}`;
const FRAGMENT = `#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = vec4(uv, 0.0, 1.0); }`;

const POSITIONS = [[0, 0, 0], [1, 0, 0.25], [0, 1, 0.5], [1, 1, 0.75], [-1, 0.5, 0], [0.5, -1, 1], [-1, -1, 0.125]];
const SHIFTS = [[0, 0], [0.25, -0.25], [-0.5, 0.125]], TINT = [1, 2, 4, 8];
/** The index that ends a strip. */
const END = 0xffff;
const INDICES = [9, 2, 0, 3, END, 1, 4, 2, 5, 1, 0, 3];
/** VkDrawIndexedIndirectCommand of two draws. */
const COMMANDS = [[3, 1, 5, 0, 0], [3, 2, 9, 2, 0]];

/** A draw of the scene: its vertices in the order of the draw, by instance; `undefined` where a strip ends. */
export interface MeshDraw {
  readonly instances: readonly number[];
  readonly vertices: readonly (number | undefined)[];
}

/** The draws of each command of the scene. */
export const DRAWN: readonly (readonly MeshDraw[])[] = [
  [{ instances: [1, 2], vertices: [1, 2, 3, 4] }],
  [{ instances: [0], vertices: INDICES.slice(1, 8).map((each) => each === END ? undefined : each + 1) }],
  COMMANDS.map(([count, instances, first, offset]) => ({
    instances: Array.from({ length: instances }, (_, at) => at),
    vertices: INDICES.slice(first, first + count).map((each) => each + offset),
  })),
];

/** The outputs of a vertex by name. */
export function outputsOf(vertex: number, instance: number): Readonly<Record<string, readonly number[]>> {
  const [x, y, z] = POSITIONS[vertex], [right, down] = SHIFTS[instance];
  return {
    gl_Position: [x * SCALE + right, y * SCALE + down, z, 2],
    gl_PointSize: [1],
    uv: [y, x],
    ids: [vertex, instance, 7],
    basis: [x, y, z, 2 * x, 2 * y, 2 * z, right, down, 1],
    weights: [x + right, y - down],
    tint: TINT.map((each) => each * x),
    number: [0 - vertex],
  };
}

/** Records the scene. */
export function recordMeshes(path: string, driver: string): void {
  using recording = apiRecording({ path });
  {
    const features = { multiDrawIndirect: true };
    using gpu = openGpu({ driver, layers: [recording.layer], features });
    const { ownedDevice: device } = gpu;
    const target = gpu.bareImage({
      format: vk.VK_FORMAT_R8G8B8A8_UNORM,
      extent: { width: SIDE, height: SIDE },
      usage: vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    });
    const pass = gpu.renderPass([{
      view: gpu.view(target),
      loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
      initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
    }]);
    const scene = gpu.descriptorSet([{
      descriptorType: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      stageFlags: vk.VK_SHADER_STAGE_VERTEX_BIT,
      pBufferInfo: [{ buffer: gpu.buffer(new Float32Array(TINT)).buffer }],
    }]);
    const layout = device.vkCreatePipelineLayout({ pSetLayouts: [scene.layout] });
    const stages = [["vert", VERTEX, 1], ["frag", FRAGMENT, 16]] as const;
    const pStages = stages.map(([end, source, stage]) => ({
      stage,
      module: device.vkCreateShaderModule({ pCode: compileShader(source, "vulkan1.0", end) as never }),
      pName: "main",
      ...end === "vert" && {
        pSpecializationInfo: {
          pMapEntries: [{ constantID: 0, offset: 0, size: 4n }],
          pData: new Float32Array([SCALE]),
        },
      },
    }));
    const pipelineOf = (topology: number, primitiveRestartEnable: boolean) =>
      gpu.graphicsPipeline({
        pStages: pStages as never,
        pVertexInputState: {
          pVertexBindingDescriptions: [
            { binding: 0, stride: 12 },
            { binding: 1, stride: 8, inputRate: vk.VK_VERTEX_INPUT_RATE_INSTANCE },
          ],
          pVertexAttributeDescriptions: [
            { location: 0, binding: 0, format: vk.VK_FORMAT_R32G32B32_SFLOAT },
            { location: 1, binding: 1, format: vk.VK_FORMAT_R32G32_SFLOAT },
          ],
        },
        pInputAssemblyState: { topology: topology as never, primitiveRestartEnable },
        layout,
        renderPass: pass.renderPass,
      });
    const strip = pipelineOf(vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, true);
    const list = pipelineOf(vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, false);
    const [vertices, shifts] = [POSITIONS, SHIFTS].map((each) => gpu.buffer(new Float32Array(each.flat())));
    const indices = gpu.buffer(new Uint16Array(INDICES)), commands = gpu.buffer(new Uint32Array(COMMANDS.flat()));
    gpu.submit((buffer: VkCommandBuffer) => {
      buffer.vkCmdBeginRenderPass(
        { ...pass, pClearValues: [{ color: { float32: [0, 0, 0, 0] } }] } as never,
        vk.VK_SUBPASS_CONTENTS_INLINE,
      );
      buffer.vkCmdBindDescriptorSets(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, [scene.set], []);
      buffer.vkCmdBindVertexBuffers(0, [vertices.buffer, shifts.buffer], [0n, 0n]);
      buffer.vkCmdBindIndexBuffer(indices.buffer, 0n, vk.VK_INDEX_TYPE_UINT16);
      buffer.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, strip);
      buffer.vkCmdDraw(4, 2, 1, 1);
      buffer.vkCmdDrawIndexed(7, 1, 1, 1, 0);
      buffer.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, list);
      buffer.vkCmdDrawIndexedIndirect(commands.buffer, 0n, 2, 20);
      buffer.vkCmdEndRenderPass();
    });
  }
  recording.close();
  if (recording.error !== undefined || recording.gaps.length > 0) throw recording.error ?? recording.gaps;
}
