import { ASPECT_BITS } from "../compare/contents/piece.ts";
import { VK_PIPELINE_BIND_POINT_GRAPHICS } from "../../../loader/gen/enums_core_gen.js";
import {
  VK_ATTACHMENT_LOAD_OP_LOAD,
  VK_ATTACHMENT_LOAD_OP_NONE,
  VK_IMAGE_LAYOUT_UNDEFINED,
} from "../../../loader/gen/enums_core_gen.js";
import { coreName } from "../record/commands.ts";
import type { Fields, RecordedCall } from "../record/line.ts";
import {
  isAction,
  isDraw,
  resolvesOf,
  resolveViews,
  storageOf,
  transferOf,
  viewsOf,
  type Write,
  writesOf,
} from "../state_tracker/effects.ts";
import type { Pass } from "../state_tracker/state.ts";
import type { Executed } from "../state_tracker/state_tracker.ts";
import type { Resources } from "../state_tracker/resources.ts";
import type { Shaders } from "./shaders.ts";
import { isInPart, isInRect, isInRegion, type Texel } from "./texel.ts";

/** The attachment of a pass that a texel is in. */
export type Role = { readonly color: number } | "depth" | "stencil";

/** The state of a draw that decides about its fragments. */
export interface DrawFacts {
  /** The attachment; `undefined` if the draw reaches the texel only through a descriptor. */
  readonly role: Role | undefined;
  /** Whether the texel is in the render area. */
  readonly isInArea: boolean;
  readonly pipeline: string | undefined;
  /** The pipeline's create info. */
  readonly info: Fields | undefined;
  /** The latest calls that set dynamic state, in order. */
  readonly dynamic: readonly RecordedCall[];
  /** Whether shaders may write through descriptors or transform feedback, so that the draw cannot be tried out. */
  readonly stores: boolean;
  /** Whether queries go on. */
  readonly isQueried: boolean;
}

/** A command that could write a texel. */
export interface Candidate {
  readonly submission: number;
  /** The number of the submission's actions with the command. */
  readonly actions: number;
  /** The number of actions after which the texel is looked at for its value before the command. */
  readonly before: number;
  /** Index of the command's line. */
  readonly index: number;
  readonly call: RecordedCall;
  readonly draw?: DrawFacts;
}

/** Finds the commands that could write a texel, in the order of their execution. */
export class Candidates {
  readonly found: Candidate[] = [];
  /** By the index of a draw's line, how often each submission carries the draw out. */
  readonly times = new Map<number, Map<number, number>>();
  readonly #texel: Texel;
  /** The calls by their arguments: a state knows only these. */
  readonly #calls = new Map<Fields, RecordedCall>();
  #submission = -1;
  #actions = 0;
  /** The number of actions before the pass that goes on. */
  #beforePass = 0;

  readonly #shaders: Shaders;

  /** Begins to look for a texel. */
  constructor(texel: Texel, shaders: Shaders) {
    this.#texel = texel;
    this.#shaders = shaders;
  }

  /** Looks at a command, before it is carried out. */
  note(executed: Executed, submission: number): void {
    const { call, index } = executed, core = coreName(call.command);
    if (submission !== this.#submission) [this.#submission, this.#actions] = [submission, 0];
    if (/^vkCmdSet/.test(core)) this.#calls.set(call.args, call);
    if (!isAction(call.command)) return;
    const before = this.#actions++;
    if (/^vkCmdBegin/.test(core)) this.#beforePass = before;
    if (isDraw(core)) this.#count(index);
    const how = this.#reach(executed, core);
    if (!how) return;
    const isResolve = /^vkCmdEnd/.test(core);
    this.found.push({
      submission,
      actions: before + 1,
      before: isResolve ? this.#beforePass : before,
      index,
      call,
      ...how !== true && { draw: how },
    });
  }

  #count(index: number): void {
    const times = this.times.get(index) ?? new Map<number, number>();
    this.times.set(index, times.set(this.#submission, (times.get(this.#submission) ?? 0) + 1));
  }

  /** Whether a command could write the texel; for draws, the facts that decide. */
  #reach(executed: Executed, core: string): DrawFacts | boolean {
    const { call, scene } = executed, { resources, state } = scene;
    if (isDraw(core)) return this.#draw(executed);
    if (core === "vkCmdClearAttachments") return this.#isCleared(call.args, state.pass, resources);
    if (/^vkCmdBegin/.test(core)) {
      return this.#isLoaded({ begin: call, isDynamic: core === "vkCmdBeginRendering", subpass: 0 }, resources);
    }
    if (/^vkCmdEnd/.test(core)) {
      return this.#has(resolvesOf(state.pass, scene), resources) && isInRect(this.#texel, areaOf(state.pass!));
    }
    const writes = writesOf(call, scene), { pRegions } = transferOf(call.args);
    if (!this.#has(writes, resources)) return false;
    return !Array.isArray(pRegions) ||
      pRegions.some((region: Fields, at: number) =>
        this.#has([writes[at]], resources) && isInRegion(this.#texel, region)
      );
  }

  #draw({ scene }: Executed): DrawFacts | false {
    const { resources, state } = scene, { pipeline } = state.at(VK_PIPELINE_BIND_POINT_GRAPHICS);
    const role = this.#role(state.pass, resources), stores = this.#shaders.mayStore(resources.info(pipeline));
    const storage = stores ? storageOf(VK_PIPELINE_BIND_POINT_GRAPHICS, scene) : [];
    if (role === undefined && !this.#has(storage, resources)) return false;
    return {
      role,
      isInArea: state.pass !== undefined && isInRect(this.#texel, areaOf(state.pass)),
      pipeline,
      info: resources.info(pipeline),
      dynamic: [...state.dynamic.values()].flatMap((args) => this.#calls.get(args) ?? []),
      stores: stores || state.feeding !== undefined,
      isQueried: state.begun.some(({ command }) => command.startsWith("vkCmdBeginQuery")),
    };
  }

  #has(writes: readonly (Write | undefined)[], resources: Resources): boolean {
    return writes.some((write) => write && !("buffer" in write) && this.#isPart(write, resources));
  }

  #isPart(part: Exclude<Write, { buffer: string }>, resources: Resources): boolean {
    return isInPart(this.#texel, part, (resources.image(part.image)?.extent.depth ?? 1) > 1);
  }

  #isView(view: string | null | undefined, resources: Resources): boolean {
    const part = resources.view(view);
    return part !== undefined && this.#isPart(part, resources);
  }

  /** The attachment of the current subpass in which the texel is. */
  #role(pass: Pass | undefined, resources: Resources): Role | undefined {
    if (!pass) return undefined;
    const { colors, depth, stencil } = attachmentsOf(pass, resources), { aspect } = this.#texel;
    if (aspect === "color") {
      const color = colors.findIndex((view) => this.#isView(view, resources));
      return color < 0 ? undefined : { color };
    }
    return this.#isView(aspect === "depth" ? depth : stencil, resources) ? aspect : undefined;
  }

  #isCleared({ pAttachments, pRects }: Fields, pass: Pass | undefined, resources: Resources): boolean {
    const role = this.#role(pass, resources), bit = ASPECT_BITS[this.#texel.aspect];
    if (role === undefined || !pRects.some(({ rect }: Fields) => isInRect(this.#texel, rect))) return false;
    return pAttachments.some(({ aspectMask, colorAttachment }: Fields) =>
      aspectMask & bit && (typeof role === "string" || colorAttachment === role.color)
    );
  }

  /** Whether the beginning of a pass gives the texel another value. */
  #isLoaded(pass: Pass, resources: Resources): boolean {
    if (!isInRect(this.#texel, areaOf(pass))) return false;
    const { aspect } = this.#texel, { args } = pass.begin;
    if (pass.isDynamic) {
      const { pColorAttachments = [], pDepthAttachment, pStencilAttachment } = args.pRenderingInfo;
      const all: Fields[] = aspect === "color"
        ? pColorAttachments
        : [aspect === "depth" ? pDepthAttachment : pStencilAttachment];
      return all.some((each) => each && this.#isView(each.imageView, resources) && isNew(each.loadOp));
    }
    const attachments: Fields[] = resources.info(args.pRenderPassBegin.renderPass)?.pAttachments ?? [];
    const resolves = new Set(resolveViews(pass, resources));
    return viewsOf(pass, resources).some((view, index) => {
      const { loadOp, stencilLoadOp, initialLayout } = attachments[index] ?? {};
      const isFresh = initialLayout === VK_IMAGE_LAYOUT_UNDEFINED ||
        isNew(aspect === "stencil" ? stencilLoadOp : loadOp);
      return isFresh && !resolves.has(view) && this.#isView(view, resources);
    });
  }
}

function isNew(loadOp: number): boolean {
  return loadOp !== VK_ATTACHMENT_LOAD_OP_LOAD && loadOp !== VK_ATTACHMENT_LOAD_OP_NONE;
}

/** The render area of a pass. */
function areaOf({ begin: { args } }: Pass): Fields {
  return (args.pRenderPassBegin ?? args.pRenderingInfo).renderArea;
}

/** The views that the current subpass writes. */
function attachmentsOf(pass: Pass, resources: Resources) {
  const { args } = pass.begin;
  if (pass.isDynamic) {
    const { pColorAttachments = [], pDepthAttachment, pStencilAttachment } = args.pRenderingInfo;
    return {
      colors: pColorAttachments.map((each: Fields) => each?.imageView),
      depth: pDepthAttachment?.imageView,
      stencil: pStencilAttachment?.imageView,
    } as { colors: string[]; depth: string | undefined; stencil: string | undefined };
  }
  const subpass: Fields = resources.info(args.pRenderPassBegin.renderPass)?.pSubpasses[pass.subpass] ?? {};
  const views = viewsOf(pass, resources), depth = views[subpass.pDepthStencilAttachment?.attachment];
  return {
    colors: (subpass.pColorAttachments ?? []).map(({ attachment }: Fields) => views[attachment]) as string[],
    depth,
    stencil: depth,
  };
}
