import type { Fields, RecordedCall } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import type { Resources } from "../state_tracker/resources.ts";
import { madeBy, namesOf } from "../state_tracker/names.ts";
import { type CondensedSet, isCondensedSet, setArgument } from "./condensed_descriptors.ts";
import { colorsOf, type CondensedPass, isCondensedPass, passArguments } from "./condensed_pass.ts";
import { graphicsArgument, shaderNode } from "./condensed_pipeline.ts";
import { type CondensedView, condensedView, viewArguments } from "./condensed_view.ts";
import type { Node } from "./node.ts";
import type { Values } from "./values.ts";
import type { Variables } from "./variables.ts";

/** The words that objects are written with. */
export interface CondensedWords {
  readonly values: Values;
  readonly variables: Variables;
  readonly resources: Resources;
  /** Whether passes may wait for everything. */
  readonly isWide: boolean;
  /** Writes a call as it is. */
  readonly plain: (call: RecordedCall) => Node[];
}

/** Makes objects with few words: each in one call of a helper, where the object is needed first. */
export class Condensed {
  readonly #words: CondensedWords;
  readonly #pending = new Pending();
  readonly #views = new Map<string, CondensedView>();
  /** Create infos by name. */
  readonly #infos = new Map<string, Fields>();
  readonly #sets = new Map<string, CondensedSet & { readonly layoutName: string }>();
  /** The framebuffers of a render pass. */
  readonly #frames = new Map<string, string[]>();
  /** The variable of what `renderPass()` returned, by framebuffer, and its render pass. */
  readonly #passes = new Map<string, { readonly variable: string; readonly pass: string }>();

  constructor(words: CondensedWords) {
    this.#words = words;
  }

  /** Takes a call that makes something, and returns statements, maybe none; `undefined` for any other call. */
  take(call: RecordedCall): Node[] | undefined {
    return TAKES[coreName(call.command)]?.(this, call);
  }

  /** Returns the statements that make what a call needs. */
  need({ args }: RecordedCall): Node[] {
    return this.#pending.need(args);
  }

  /** Writes how a pass begins, if `renderPass()` made the pass; otherwise returns `undefined`. */
  beginning({ command, args: { pRenderPassBegin: info } }: RecordedCall): Node | undefined {
    const own = /^vkCmdBeginRenderPass/.test(command) ? this.#passes.get(info.framebuffer) : undefined;
    if (!own || own.pass !== info.renderPass) return undefined;
    const { renderPass: _, framebuffer, renderArea, ...rest } = info, [view] = this.#viewsOf(framebuffer);
    const { offset: { x, y }, extent: { width, height } } = renderArea;
    const isWhole = x === 0 && y === 0 && width === view.width && height === view.height;
    const members = this.#words.values.members("VkRenderPassBeginInfo", { ...!isWhole && { renderArea }, ...rest });
    if (members.length === 0) return own.variable;
    return { open: "{", items: [`...${own.variable}`, ...members], close: "}", fills: true };
  }

  #viewsOf(framebuffer: string): CondensedView[] {
    return this.#infos.get(framebuffer)!.pAttachments.map((each: string) => this.#views.get(each));
  }

  /** An object whose statement waits, and is as recorded. */
  #later(call: RecordedCall): Node[] {
    const names = [...madeBy(call)];
    for (const name of names) this.#infos.set(name, call.args.pCreateInfo ?? {});
    this.#pending.add(names, () => this.#plainly(call));
    return [];
  }

  #plainly(call: RecordedCall): Node[] {
    return [...this.#pending.need(call.args), ...this.#words.plain(call)];
  }

  #statement(name: string, helper: string, items: readonly Node[]): Node {
    const open = `const ${this.#words.variables.of(name)} = ${helper}(`;
    return { open, items, close: ");", fills: true };
  }

  #view(call: RecordedCall): Node[] | undefined {
    const { resources, values, variables } = this.#words, { pCreateInfo: info } = call.args, name = call.out!.pView;
    if (info.pNext?.length > 0) return undefined;
    this.#views.set(name, condensedView(info, resources));
    return [this.#statement(name, "view", viewArguments(info, variables.of(info.image), resources, values))];
  }

  #framebuffer(call: RecordedCall): Node[] {
    const { pCreateInfo: info } = call.args, name = call.out!.pFramebuffer, { renderPass } = info;
    this.#later(call);
    this.#frames.set(renderPass, [...this.#frames.get(renderPass) ?? [], name]);
    this.#pending.add([name], () => this.#passOf(name) ?? this.#plainly(call));
    return [];
  }

  /** A render pass is made with its framebuffer, if that is possible. */
  #renderPass(call: RecordedCall): Node[] {
    const name = call.out!.pRenderPass;
    this.#later(call);
    this.#pending.add([name], () => {
      const frame = this.#frames.get(name)?.find((each) => this.#pending.has(each) && this.#condensedPass(each));
      if (frame === undefined) return this.#plainly(call);
      this.#pending.add([name], () => []);
      return this.#pending.need(frame);
    });
    return [];
  }

  #condensedPass(framebuffer: string): CondensedPass | undefined {
    const frame = this.#infos.get(framebuffer)!, pass = this.#infos.get(frame.renderPass);
    if (!this.#words.isWide || !pass) return undefined;
    const views = (frame.pAttachments ?? []).map((each: string) => this.#views.get(each));
    return isCondensedPass({ pass, frame, views }) ? { pass, frame, views } : undefined;
  }

  #passOf(framebuffer: string): Node[] | undefined {
    const condensed = this.#condensedPass(framebuffer), { values, variables } = this.#words;
    if (!condensed) return undefined;
    const { renderPass } = condensed.frame, variable = variables.more("pass");
    this.#passes.set(framebuffer, { variable, pass: renderPass });
    variables.define(framebuffer, `${variable}.framebuffer`);
    if (this.#pending.forget(renderPass)) variables.define(renderPass, `${variable}.renderPass`);
    const items = passArguments(condensed, values, variables);
    return [{ open: `const ${variable} = renderPass(`, items, close: ");", fills: true }];
  }

  #allocate(call: RecordedCall): Node[] | undefined {
    const { pSetLayouts, pNext, ...info } = call.args.pAllocateInfo, names: string[] = call.out!.pDescriptorSets;
    if (pNext?.length > 0) return undefined;
    for (const [index, name] of names.entries()) {
      const layoutName = pSetLayouts[index], pAllocateInfo = { ...info, pSetLayouts: [layoutName] };
      this.#sets.set(name, { layout: this.#infos.get(layoutName) ?? {}, layoutName, writes: [] });
      const own = { ...call, args: { ...call.args, pAllocateInfo }, out: { pDescriptorSets: [name] } };
      this.#pending.add([name], () => this.#madeSet(own, name));
    }
    return [];
  }

  #madeSet(call: RecordedCall, name: string): Node[] {
    const set = this.#sets.get(name)!, { layout, writes } = set, needs = this.#pending.need([layout, writes]);
    this.#sets.delete(name);
    if (isCondensedSet(set)) return [...needs, this.#set(name, set)];
    const args = { device: call.args.device, pDescriptorWrites: writes };
    const update: RecordedCall = { ...call, command: "vkUpdateDescriptorSets", args, out: undefined };
    return [...needs, ...this.#plainly(call), ...writes.length > 0 ? this.#words.plain(update) : []];
  }

  #set(name: string, set: CondensedSet & { readonly layoutName: string }): Node {
    const { values, variables, resources } = this.#words, variable = variables.more("descriptors");
    variables.define(name, `${variable}.set`);
    if (this.#pending.forget(set.layoutName)) variables.define(set.layoutName, `${variable}.layout`);
    const argument = setArgument(set, values, (buffer) => Number(resources.info(buffer)?.size ?? 0));
    return { open: `const ${variable} = descriptorSet(`, items: [argument], close: ");", fills: true };
  }

  /** A layout comes with its set, if there is one. */
  #setLayout(call: RecordedCall): Node[] {
    const name = call.out!.pSetLayout;
    this.#later(call);
    this.#pending.add([name], () => {
      const set = [...this.#sets].find(([each, { layoutName }]) => layoutName === name && this.#pending.has(each));
      if (!set || !isCondensedSet(set[1])) return this.#plainly(call);
      this.#pending.add([name], () => []);
      return this.#pending.need(set[0]);
    });
    return [];
  }

  /** Holds back what is written into sets that are not needed yet, until the sets are. */
  #update(call: RecordedCall): Node[] {
    const { pDescriptorWrites = [], pDescriptorCopies = [] } = call.args;
    const isWaiting = ({ dstSet }: Fields) => this.#sets.has(dstSet);
    if (pDescriptorCopies.length > 0) return this.#plainly(call);
    for (const write of pDescriptorWrites.filter(isWaiting)) this.#sets.get(write.dstSet)!.writes.push(write);
    const left = pDescriptorWrites.filter((each: Fields) => !isWaiting(each));
    return left.length === 0 ? [] : this.#plainly({ ...call, args: { ...call.args, pDescriptorWrites: left } });
  }

  #compute(call: RecordedCall): Node[] {
    const { values } = this.#words, [info, ...more] = call.args.pCreateInfos, [name] = call.out!.pPipelines;
    this.#later(call);
    const shader = shaderNode(info.stage, this.#code, values), isPlain = this.#isLayoutPlain(info.layout);
    if (more.length > 0 || info.flags || info.pNext?.length > 0 || !shader) return [];
    this.#pending.add([name], () => {
      const needs = isPlain ? [] : this.#pending.need(info.layout);
      const items = [shader, ...isPlain ? [] : [this.#words.variables.handle(info.layout)]];
      return [...needs, this.#statement(name, "computePipeline", items)];
    });
    return [];
  }

  #graphics(call: RecordedCall): Node[] {
    const { values } = this.#words, names: string[] = call.out!.pPipelines, infos: Fields[] = call.args.pCreateInfos;
    this.#later(call);
    if (infos.some(({ basePipelineHandle, flags }) => basePipelineHandle || flags)) return [];
    for (const [index, name] of names.entries()) {
      this.#pending.add([name], () => {
        const { layout, renderPass, pStages, ...rest } = infos[index], isLayoutPlain = this.#isLayoutPlain(layout);
        const stages = (pStages ?? []).filter((each: Fields) => !shaderNode(each, this.#code, values));
        const needs = this.#pending.need([
          isLayoutPlain ? [] : layout,
          renderPass,
          rest,
          stages.length > 0 ? pStages : [],
        ]);
        const pass = this.#passFacts(renderPass), words = { ...this.#code, values, pass, isLayoutPlain };
        return [...needs, this.#statement(name, "graphicsPipeline", [graphicsArgument(infos[index], words)])];
      });
    }
    return [];
  }

  #passFacts(renderPass: string | undefined) {
    const made = [...this.#passes].find(([, { pass, variable }]) =>
      pass === renderPass && this.#words.variables.handle(pass) === `${variable}.renderPass`
    );
    if (!made) return undefined;
    const [{ samples, width, height }] = this.#viewsOf(made[0]);
    return { samples, width, height, colors: colorsOf(this.#infos.get(renderPass!)!) };
  }

  #isLayoutPlain(name: string): boolean {
    const { pSetLayouts = [], pPushConstantRanges = [], flags = 0, pNext = [] } = this.#infos.get(name) ?? { flags: 1 };
    return pSetLayouts.length === 0 && pPushConstantRanges.length === 0 && flags === 0 && pNext.length === 0;
  }

  readonly #code = {
    codeOf: (module: string) => {
      const code = this.#infos.get(module)?.pCode;
      return code && this.#words.values.bytes(code);
    },
  };

  /** Calls that are taken, by their names without a suffix. */
  static readonly takes: Readonly<Record<string, (condensed: Condensed, call: RecordedCall) => Node[] | undefined>> = {
    vkCreateImageView: (condensed, call) => condensed.#view(call),
    vkCreateShaderModule: (condensed, call) => condensed.#later(call),
    vkCreatePipelineLayout: (condensed, call) => condensed.#later(call),
    vkCreateDescriptorPool: (condensed, call) => condensed.#later(call),
    vkCreateDescriptorSetLayout: (condensed, call) => condensed.#setLayout(call),
    vkAllocateDescriptorSets: (condensed, call) => condensed.#allocate(call),
    vkUpdateDescriptorSets: (condensed, call) => condensed.#update(call),
    vkCreateRenderPass: (condensed, call) => condensed.#renderPass(call),
    vkCreateRenderPass2: (condensed, call) => condensed.#renderPass(call),
    vkCreateFramebuffer: (condensed, call) => condensed.#framebuffer(call),
    vkCreateComputePipelines: (condensed, call) => condensed.#compute(call),
    vkCreateGraphicsPipelines: (condensed, call) => condensed.#graphics(call),
  };
}

const TAKES = Condensed.takes;

/** Writes the statements that make objects, and before them those that make what these need. */
type Maker = () => Node[];

/** Objects that are written where they are needed first, by then with all that is known of them. */
class Pending {
  readonly #makers = new Map<string, Maker>();

  /** Notes how objects are made. */
  add(names: readonly string[], make: Maker): void {
    for (const name of names) this.#makers.set(name, () => this.#once(names, make));
  }

  /** Whether an object was not needed yet. */
  has(name: string): boolean {
    return this.#makers.has(name);
  }

  /** Says that an object is made otherwise. Returns whether it was not needed before. */
  forget(name: string): boolean {
    return this.#makers.delete(name);
  }

  /** Returns the statements that make the objects that a value names, where they are not written yet. */
  need(value: unknown): Node[] {
    return [...namesOf(value)].flatMap((name) => this.#makers.get(name)?.() ?? []);
  }

  #once(names: readonly string[], make: Maker): Node[] {
    for (const name of names) this.#makers.delete(name);
    return make();
  }
}
