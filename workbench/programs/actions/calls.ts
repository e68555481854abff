import {
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
} from "../../../loader/gen/enums_core_gen.js";
import { chance, type Choices, pick } from "../choices.ts";
import type { Model } from "../model.ts";
import type { Arguments } from "../writer.ts";
import { words } from "./pipelines.ts";

/** The kinds of calls that draw. */
export type DrawKind = "draw" | "drawIndexed" | "drawIndirect" | "drawIndexedIndirect" | "query";

/** The assembly of vertices to triangles. */
export interface Assembly {
  /** VkPrimitiveTopology. */
  readonly topology: number;
  /** Whether the largest index begins a new strip or fan. */
  readonly restarts: boolean;
  /** The indices; {@linkcode RESTART} begins anew. Draws without an index buffer take the vertices in order. */
  readonly order: readonly number[];
}

/** Stands for the largest index. */
const RESTART = -1;
/** Both triangles of a rectangle turn the same way in each, as in the shader, which has two triangles of six vertices. */
const OF_RECTANGLES: readonly Assembly[] = [
  { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, restarts: false, order: [5, 0, 2, 1] },
  { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, restarts: true, order: [5, 0, 2, RESTART, 0, 1, 2] },
  { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, restarts: false, order: [0, 1, 2, 5] },
  { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, restarts: true, order: [0, 1, 2, RESTART, 0, 2, 5] },
];

/** Chooses how the vertices of a draw become triangles. Rectangles that the shader makes can be strips and fans. */
export function assemblyOf(choices: Choices, kind: DrawKind, count: number, isRectangle: boolean): Assembly {
  if (isRectangle && isIndexed(kind) && chance(choices, 35)) return pick(choices, OF_RECTANGLES);
  const order = Array.from({ length: count }, (_, index) => index), isTurned = isIndexed(kind) && chance(choices, 50);
  return {
    topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    restarts: false,
    order: isTurned ? order.map((index) => (index + 3) % count) : order,
  };
}

function isIndexed(kind: DrawKind): boolean {
  return kind.startsWith("drawIndexed");
}

/** Numbers of a draw, as its command or a buffer has them. */
interface Numbers {
  readonly count: number;
  readonly instances: number;
  readonly first: number;
  readonly vertexOffset: number;
  readonly firstInstance: number;
}

/** Returns what writes the draw command. The shader takes every sixth vertex of rectangles for the same. */
export function callOf(
  model: Model,
  kind: DrawKind,
  { order, restarts }: Assembly,
  instances: number,
  isRectangle: boolean,
): () => void {
  const { writer, choices } = model, count = order.length, shift = isRectangle ? 6 * choices.integer(0, 2) : 0;
  const firstInstance = chance(choices, 30) && instances > 1 && model.has("drawIndirectFirstInstance") ? 1 : 0;
  if (!isIndexed(kind)) {
    const numbers = { count, instances, first: shift, vertexOffset: 0, firstInstance };
    const indirect = kind === "drawIndirect" ? parameters(model, [numbers], false) : undefined;
    const { first: firstVertex } = numbers;
    return indirect
      ? () => writer.command("vkCmdDrawIndirect", indirect)
      : () => writer.command("vkCmdDraw", { vertexCount: count, instanceCount: instances, firstVertex, firstInstance });
  }
  const first = choices.integer(0, 3), indices = indexBuffer(model, order, first, restarts);
  const numbers = { count, instances, first, vertexOffset: shift, firstInstance };
  const indirect = kind === "drawIndexedIndirect" ? parameters(model, [numbers], true) : undefined;
  return () => {
    writer.command("vkCmdBindIndexBuffer", indices);
    if (indirect) return writer.command("vkCmdDrawIndexedIndirect", indirect);
    writer.command("vkCmdDrawIndexed", {
      indexCount: count,
      firstIndex: first,
      vertexOffset: shift,
      instanceCount: instances,
      firstInstance,
    });
  };
}

/** Writes the numbers of draws into a buffer, perhaps those of a second draw, which is the first instance once more. */
function parameters(model: Model, [draw]: readonly [Numbers], isIndexed: boolean): Arguments {
  const { choices } = model, drawCount = model.has("multiDrawIndirect") && chance(choices, 30) ? 2 : 1;
  const gap = drawCount > 1 ? choices.integer(0, 2) : 0;
  const values = [draw, { ...draw, instances: 1 }].slice(0, drawCount).flatMap((each) => {
    const { count, instances, first, vertexOffset, firstInstance } = each, zeros = Array<number>(gap).fill(0);
    return [count, instances, first, ...isIndexed ? [vertexOffset] : [], firstInstance, ...zeros];
  });
  return { ...model.memory.write(words(values)), drawCount, stride: 4 * (gap + (isIndexed ? 5 : 4)) };
}

/** Writes indices behind some that no draw uses. */
function indexBuffer(
  { memory, choices }: Model,
  order: readonly number[],
  unused: number,
  restarts: boolean,
): Arguments {
  const isWide = chance(choices, 50), largest = isWide ? 0xffff_ffff : 0xffff;
  const indices = [...Array<number>(unused).fill(0), ...order].map((each) =>
    each === RESTART && restarts ? largest : each
  );
  const data = isWide ? Uint32Array.from(indices) : Uint16Array.from(indices);
  return { ...memory.write(new Uint8Array(data.buffer)), indexType: isWide ? 1 : 0 };
}
