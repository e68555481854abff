import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_TYPE_OCCLUSION,
} from "../../../loader/vk.ts";
import { commandBuffersIn } from "../record/submissions.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { HEADER } from "../replay/recording_file.ts";
import { sidecarOf } from "../record/sidecar.ts";
import type { Fields } from "../state_tracker/fields.ts";
import { Resources } from "../state_tracker/resources.ts";
import { isSubmission } from "../compare/driver_process/cut.ts";
import type { Candidate } from "./candidates.ts";
import type { Texel } from "./texel.ts";
import { type Trial, TriedDraw } from "./variants.ts";

/** The first number of what the trials make: no recording has so many objects. */
const OWN = 3_000_000;
/** Bytes of a query's result. */
const RESULT = 8;
/** The buffer that gets the results. */
export const RESULTS = `VkBuffer#${OWN}`;
const POOL = `VkQueryPool#${OWN}`, MEMORY = `VkDeviceMemory#${OWN}`;

/** A draw's line with its trials and the first of their queries. */
interface Plan {
  readonly draw: TriedDraw;
  readonly trials: readonly Trial[];
  readonly pipelines: readonly string[];
  readonly pipeline: string;
  readonly first: number;
}

/**
 * A recording in which draws are tried out before they are carried out: with one test after the other, for one texel,
 * counting the samples that pass, and writing nothing.
 */
export class TrialRecording {
  readonly #texel: Texel;
  readonly #device: string;
  readonly #plans = new Map<number, Plan>();
  /** Pipelines to make, by the pipeline that each is like. */
  readonly #wanted = new Map<string, { readonly name: string; readonly info: Fields }[]>();
  readonly #names = new Map<string, string>();
  #queries = 0;

  /** Begins without draws. `device` is that of the texel's image. */
  constructor(texel: Texel, device: string) {
    this.#texel = texel;
    this.#device = device;
  }

  /** Whether there is nothing to try out. */
  get isEmpty(): boolean {
    return this.#plans.size === 0;
  }

  /** Adds a draw. Its state is the same at each submission. */
  add({ index, draw: facts }: Candidate): void {
    if (this.#plans.has(index)) return;
    const draw = new TriedDraw(facts!), trials = draw.trials(this.#texel), pipeline = facts!.pipeline!;
    const pipelines = trials.map(({ info }) => this.#pipeline(pipeline, info));
    this.#plans.set(index, { draw, trials, pipelines, pipeline, first: this.#queries });
    this.#queries += trials.length;
  }

  /** The number of trials that a line adds to the actions of a submission. */
  countAt(index: number): number {
    return this.#plans.get(index)?.trials.length ?? 0;
  }

  /** Returns why a draw leaves the texel as it is, from the results; `undefined` if a fragment passes all tests. */
  reasonOf({ index }: Candidate, results: Uint8Array): Trial["reason"] | undefined {
    const { trials, first, draw } = this.#plans.get(index)!, view = new DataView(results.buffer, results.byteOffset);
    const fails = trials.findIndex((_, at) => view.getBigUint64((first + at) * RESULT, true) === 0n);
    const reason = trials[fails]?.reason;
    if (reason === "not covered" || reason === "culled") return reason;
    return draw.isInScissor(this.#texel) ? reason : "scissor";
  }

  /** Whether a draw that was tried out may not write the texel's attachment at all. */
  isMasked({ index }: Candidate): boolean {
    return this.#plans.get(index)!.draw.isMasked;
  }

  /** Writes the recording to a file, with the folder of bytes of another. `submissions` are those with trials. */
  write(path: string, original: string, lines: readonly RecordedLine[], submissions: ReadonlySet<number>): void {
    const texts = [JSON.stringify(HEADER), ...this.#edited(lines, submissions).map((line) => JSON.stringify(line))];
    Deno.writeTextFileSync(path, `${texts.join("\n")}\n`);
    try {
      Deno.symlinkSync(Deno.realPathSync(sidecarOf(original)), sidecarOf(path));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // a recording without long bytes
    }
  }

  #edited(lines: readonly RecordedLine[], submissions: ReadonlySet<number>): RecordedLine[] {
    const resources = new Resources(), edited: RecordedLine[] = [], last = Math.max(...submissions);
    let submission = 0, hasQueries = false, hasBuffer = false;
    for (const [index, line] of lines.entries()) {
      if ("command" in line) resources.note(line);
      if (!hasQueries && this.#isFirst(line, resources)) {
        edited.push(this.#queryPool());
        hasQueries = true;
      }
      if (isSubmission(line) && submissions.has(submission++)) {
        if (!hasBuffer) edited.push(...this.#buffer(lines));
        hasBuffer = true;
        edited.push(...this.#around(line, resources, submission));
        if (submission > last) return edited;
        continue;
      }
      const plan = this.#plans.get(index);
      if (plan) edited.push(...this.#tried(line as RecordedCall, plan));
      edited.push(this.#withPipelines(line));
    }
    return edited;
  }

  #pipeline(like: string, info: Fields): string {
    const key = JSON.stringify([like, info]), name = this.#names.get(key) ?? `VkPipeline#${OWN + this.#names.size}`;
    if (!this.#names.has(key)) this.#wanted.set(like, [...this.#wanted.get(like) ?? [], { name, info }]);
    this.#names.set(key, name);
    return name;
  }

  /** Makes the pipelines of the trials with those that they are like: later, their shaders may be gone. */
  #withPipelines(line: RecordedLine): RecordedLine {
    if (!("command" in line) || line.command !== "vkCreateGraphicsPipelines") return line;
    const made = (line.out!.pPipelines as string[]).flatMap((name) => this.#wanted.get(name) ?? []);
    if (made.length === 0) return line;
    const pCreateInfos = [...line.args.pCreateInfos, ...made.map(({ info }) => info)];
    const pPipelines = [...line.out!.pPipelines, ...made.map(({ name }) => name)];
    return { ...line, args: { ...line.args, pCreateInfos }, out: { ...line.out, pPipelines } };
  }

  /** The trials of a draw, and the commands that bring its state back. */
  #tried(call: RecordedCall, { draw, pipelines, pipeline, first }: Plan): RecordedCall[] {
    const { commandBuffer } = call.args;
    const bind = (name: string) => ({
      command: "vkCmdBindPipeline",
      args: { commandBuffer, pipelineBindPoint: 0, pipeline: name },
    });
    return [
      ...draw.scissoring(this.#texel),
      ...pipelines.flatMap((name, at) => [
        bind(name),
        { command: "vkCmdBeginQuery", args: { commandBuffer, queryPool: POOL, query: first + at, flags: 0 } },
        call,
        { command: "vkCmdEndQuery", args: { commandBuffer, queryPool: POOL, query: first + at } },
      ]),
      bind(pipeline),
      ...draw.restoring,
    ];
  }

  /** Whether a line is the first that begins a command buffer of the device. */
  #isFirst(line: RecordedLine, resources: Resources): boolean {
    return "command" in line && line.command === "vkBeginCommandBuffer" &&
      resources.call(line.args.commandBuffer)?.args.device === this.#device;
  }

  #queryPool(): RecordedCall {
    const pCreateInfo = { queryType: VK_QUERY_TYPE_OCCLUSION, queryCount: this.#queries };
    return { command: "vkCreateQueryPool", args: { device: this.#device, pCreateInfo }, out: { pQueryPool: POOL } };
  }

  #buffer(lines: readonly RecordedLine[]): RecordedCall[] {
    const device = this.#device, size = this.#queries * RESULT, memoryTypeIndex = memoryTypeOf(device, lines);
    const pCreateInfo = { size: `${size}`, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT, sharingMode: 0 };
    return [
      { command: "vkCreateBuffer", args: { device, pCreateInfo }, out: { pBuffer: RESULTS } },
      {
        command: "vkAllocateMemory",
        args: { device, pAllocateInfo: { allocationSize: `${size}`, memoryTypeIndex } },
        out: { pMemory: MEMORY },
      },
      { command: "vkBindBufferMemory", args: { device, buffer: RESULTS, memory: MEMORY, memoryOffset: "0" } },
    ];
  }

  /** A submission between command buffers that reset the queries and copy their results. */
  #around(call: RecordedCall, resources: Resources, number: number): RecordedCall[] {
    const { device } = resources.call(call.args.queue)!.args, pool = `VkCommandPool#${OWN + number}`;
    const first = resources.info(commandBuffersIn(call)[0])!.commandPool;
    const [before, after] = [0, 1].map((each) => `VkCommandBuffer#${OWN + number * 2 + each}`);
    const { queueFamilyIndex } = resources.info(first)!, all = { firstQuery: 0, queryCount: this.#queries };
    const flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    const copy = { queryPool: POOL, ...all, dstBuffer: RESULTS, dstOffset: "0", stride: `${RESULT}`, flags };
    return [
      {
        command: "vkCreateCommandPool",
        args: { device, pCreateInfo: { queueFamilyIndex } },
        out: { pCommandPool: pool },
      },
      {
        command: "vkAllocateCommandBuffers",
        args: { device, pAllocateInfo: { commandPool: pool, level, commandBufferCount: 2 } },
        out: { pCommandBuffers: [before, after] },
      },
      ...recorded(before, "vkCmdResetQueryPool", { queryPool: POOL, ...all }),
      ...recorded(after, "vkCmdCopyQueryPoolResults", copy),
      { ...call, args: { ...call.args, pSubmits: between(call.args.pSubmits, before, after) } },
    ];
  }
}

function recorded(commandBuffer: string, command: string, args: Fields): RecordedCall[] {
  return [
    { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: { flags: 0 } } },
    { command, args: { commandBuffer, ...args } },
    { command: "vkEndCommandBuffer", args: { commandBuffer } },
  ];
}

/** Puts a command buffer before all of a submission, and one behind. */
function between(submits: readonly Fields[], before: string, after: string): Fields[] {
  const has = (submit: Fields) => (submit.pCommandBuffers ?? submit.pCommandBufferInfos ?? []).length > 0;
  const first = submits.findIndex(has), last = submits.findLastIndex(has);
  return submits.map((submit, at) => {
    const [head, tail] = [at === first ? [before] : [], at === last ? [after] : []];
    if (submit.pCommandBuffers) return { ...submit, pCommandBuffers: [...head, ...submit.pCommandBuffers, ...tail] };
    if (!submit.pCommandBufferInfos) return submit;
    const infos = (names: readonly string[]) => names.map((commandBuffer) => ({ commandBuffer, deviceMask: 0 }));
    return { ...submit, pCommandBufferInfos: [...infos(head), ...submit.pCommandBufferInfos, ...infos(tail)] };
  });
}

/** A memory type that the program uses for a device. */
function memoryTypeOf(device: string, lines: readonly RecordedLine[]): number {
  for (const line of lines) {
    if ("command" in line && line.command === "vkAllocateMemory" && line.args.device === device) {
      return line.args.pAllocateInfo.memoryTypeIndex;
    }
  }
  throw new TypeError("the program allocates no memory, so that no memory type is known");
}
