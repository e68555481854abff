import type { Fields } from "../../record/line.ts";
import {
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "../../../../loader/gen/enums_core_gen.js";

/** What a command buffer has while it is recorded. */
interface Scene {
  /** How many passes were begun and not ended. */
  passes: number;
  /** Whether a secondary command buffer goes on with the pass of another one. */
  readonly isInPass: boolean;
  /** The points to which a pipeline, or shaders, are bound. */
  readonly points: Set<number>;
}

const BEGINS = /^vkCmdBegin(RenderPass2?|Rendering)$/, ENDS = /^vkCmdEnd(RenderPass2?|Rendering2?)$/;
const DRAWS = /^vkCmdDraw(Indexed|Indirect|IndexedIndirect|IndirectCount|IndexedIndirectCount)?$/;
const DISPATCHES = /^vkCmdDispatch(Base|Indirect)?$/;

/** Follows what draws and dispatches need, by command buffer: drivers do not look, and read what is not there. */
export class Commands {
  readonly #scenes = new Map<string, Scene>();

  /** Looks at a call by its name without a suffix. Throws a `TypeError` for a command that needs what is not there. */
  check(core: string, args: Fields): void {
    const { commandBuffer: name } = args;
    if (core === "vkBeginCommandBuffer") {
      const isInPass = (args.pBeginInfo.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) !== 0;
      this.#scenes.set(name, { passes: 0, isInPass, points: new Set() });
    }
    const scene = this.#scenes.get(name);
    if (scene) look(name, core, args, scene);
  }

  /** Forgets a command buffer that was freed. */
  forget(name: string): void {
    this.#scenes.delete(name);
  }
}

function look(name: string, core: string, args: Fields, scene: Scene): void {
  if (core === "vkCmdBindPipeline") scene.points.add(args.pipelineBindPoint);
  else if (core === "vkCmdBindShaders") {
    scene.points.add(VK_PIPELINE_BIND_POINT_GRAPHICS).add(VK_PIPELINE_BIND_POINT_COMPUTE);
  } else if (BEGINS.test(core)) begin(name, scene);
  else if (ENDS.test(core)) end(name, scene);
  else if (DRAWS.test(core)) {
    requirePipeline(name, VK_PIPELINE_BIND_POINT_GRAPHICS, scene);
    if (scene.passes === 0 && !scene.isInPass) throw new TypeError(`${name} has begun no pass; begin one before`);
  } else if (DISPATCHES.test(core)) requirePipeline(name, VK_PIPELINE_BIND_POINT_COMPUTE, scene);
}

function begin(name: string, scene: Scene): void {
  if (scene.passes > 0) throw new TypeError(`${name} has begun a pass before; end that first`);
  scene.passes++;
}

function end(name: string, scene: Scene): void {
  if (scene.passes === 0) throw new TypeError(`${name} has begun no pass; begin one before`);
  scene.passes--;
}

function requirePipeline(name: string, point: number, { points }: Scene): void {
  if (points.has(point)) return;
  const kind = point === VK_PIPELINE_BIND_POINT_COMPUTE ? "compute" : "graphics";
  throw new TypeError(`${name} has no ${kind} pipeline bound; bind one before`);
}
