import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import { type Edit, GONE } from "./edits.ts";
import type { EditGroup } from "./shrink.ts";

/** A call with the index of its line. */
type Placed = readonly [line: number, call: RecordedCall];

/**
 * Bindings of descriptor sets with everything that is written into them, the last attachments of passes with their
 * views and clear values, and passes that only pipelines and framebuffers use. Alone none can go, and only a validation
 * layer knows whether they may.
 */
export function groupEdits(lines: readonly RecordedLine[]): EditGroup[] {
  const calls = lines.flatMap((line, index): Placed[] => "command" in line ? [[index, line]] : []);
  return [...bindings(calls), ...attachments(calls), ...passes(calls)];
}

/** Pipelines and framebuffers of a pass that never begins get one that does, if that one is there before them. */
function passes(calls: readonly Placed[]): EditGroup[] {
  const begun = new Set(
    named(calls, /^vkCmdBeginRenderPass2?$/).map(([, { args }]): string => args.pRenderPassBegin.renderPass),
  );
  const made = named(calls, /^vkCreateRenderPass2?$/), users = usersOfPasses(calls);
  const others = made.filter(([, { out }]) => !begun.has(out!.pRenderPass));
  return others.flatMap(([, { out }]) => {
    const own = users.filter(({ value }) => value === out!.pRenderPass);
    const first = Math.min(...own.map(({ line }) => line));
    return made.filter(([line, call]) => line < first && begun.has(call.out!.pRenderPass)).map(([, call]) =>
      own.map((each) => ({ ...each, value: call.out!.pRenderPass }))
    );
  }).filter(({ length }) => length > 0);
}

/** Returns the edits of the pipelines and framebuffers that name passes. */
function usersOfPasses(calls: readonly Placed[]): Edit[] {
  const framebuffers = named(calls, /^vkCreateFramebuffer$/).map(([line, { args }]) => ({
    line,
    path: ["pCreateInfo", "renderPass"],
    value: args.pCreateInfo.renderPass,
  }));
  const pipelines = named(calls, /^vkCreateGraphicsPipelines$/).flatMap(([line, { args }]) =>
    (args.pCreateInfos as Fields[]).map(({ renderPass }, index) => ({
      line,
      path: ["pCreateInfos", index, "renderPass"],
      value: renderPass,
    }))
  );
  return [...framebuffers, ...pipelines];
}

function named(calls: readonly Placed[], name: RegExp): Placed[] {
  return calls.filter(([, { command }]) => name.test(coreName(command)));
}

function bindings(calls: readonly Placed[]): EditGroup[] {
  return named(calls, /^vkCreateDescriptorSetLayout$/).flatMap(([line, { args: { pCreateInfo: info }, out }]) => {
    const sets = new Set(setsOf(calls, out!.pSetLayout)), pushes = pushesOf(calls, out!.pSetLayout);
    const writes = named(calls, /^vkUpdateDescriptorSets$/).filter(([, { args }]) => args.pDescriptorWrites);
    return (info.pBindings ?? []).map(({ binding }: Fields, index: number) => [
      { line, path: ["pCreateInfo", "pBindings", index], value: GONE },
      ...writesOf(writes, (write) => sets.has(write.dstSet) && write.dstBinding === binding),
      ...writesOf(pushes, (write) => write.dstBinding === binding),
    ]);
  });
}

/** The sets that are allocated with a layout. */
function setsOf(calls: readonly Placed[], layout: string): string[] {
  return named(calls, /^vkAllocateDescriptorSets$/).flatMap(([, { args, out }]) =>
    (args.pAllocateInfo.pSetLayouts as string[]).flatMap((name, index) =>
      name === layout ? [out!.pDescriptorSets[index]] : []
    )
  );
}

/** The commands that push a set with a layout. */
function pushesOf(calls: readonly Placed[], layout: string): Placed[] {
  const layouts = new Map(
    named(calls, /^vkCreatePipelineLayout$/).map(([, { args, out }]) => [out!.pPipelineLayout, args.pCreateInfo]),
  );
  return named(calls, /^vkCmdPushDescriptorSet$/).filter(([, { args }]) =>
    layouts.get(args.layout)?.pSetLayouts?.[args.set] === layout
  );
}

function writesOf(calls: readonly Placed[], isMeant: (write: Fields) => boolean): Edit[] {
  return calls.flatMap(([line, { args }]) =>
    (args.pDescriptorWrites as Fields[]).flatMap((write, index) =>
      isMeant(write) ? [{ line, path: ["pDescriptorWrites", index], value: GONE }] : []
    )
  );
}

/** The last attachment, where a pass has several and only its depth and stencil are there. */
function attachments(calls: readonly Placed[]): EditGroup[] {
  return named(calls, /^vkCreateRenderPass2?$/).flatMap(([line, { args: { pCreateInfo: info }, out }]) => {
    const last = (info.pAttachments?.length ?? 0) - 1, subpasses: Fields[] = info.pSubpasses;
    if (last < 1 || subpasses.some((each) => usesOtherwise(each, last))) return [];
    return [[
      { line, path: ["pCreateInfo", "pAttachments", last], value: GONE },
      ...subpasses.flatMap((each, index) =>
        each.pDepthStencilAttachment?.attachment === last
          ? [{ line, path: ["pCreateInfo", "pSubpasses", index, "pDepthStencilAttachment"], value: GONE }]
          : []
      ),
      ...framesOf(calls, out!.pRenderPass, last),
    ]];
  });
}

/** Whether a subpass has an attachment as a colour, an input or a target of a resolve. */
function usesOtherwise(subpass: Fields, attachment: number): boolean {
  const { pColorAttachments, pInputAttachments, pResolveAttachments, pPreserveAttachments } = subpass;
  const references = [pColorAttachments, pInputAttachments, pResolveAttachments].flatMap((each) => each ?? []);
  return references.some((each: Fields) => each.attachment === attachment) || pPreserveAttachments?.length > 0;
}

/** The views and the clear values of an attachment. */
function framesOf(calls: readonly Placed[], renderPass: string, attachment: number): Edit[] {
  const frames = named(calls, /^vkCreateFramebuffer$/).filter(([, { args }]) =>
    args.pCreateInfo.renderPass === renderPass && args.pCreateInfo.pAttachments
  );
  const begins = named(calls, /^vkCmdBeginRenderPass2?$/).filter(([, { args: { pRenderPassBegin: begin } }]) =>
    begin.renderPass === renderPass && begin.pClearValues?.length > attachment
  );
  return [
    ...frames.map(([line]) => ({ line, path: ["pCreateInfo", "pAttachments", attachment], value: GONE })),
    ...begins.map(([line]) => ({ line, path: ["pRenderPassBegin", "pClearValues", attachment], value: GONE })),
  ];
}
