import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { isSubmission } from "../compare/driver_process/cut.ts";
import { commandBuffersIn } from "../record/commands.ts";
import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import { Resources } from "../state_tracker/resources.ts";
import { bufferLines, OWN, writeLines } from "./own_objects.ts";

/** Bytes of the answer of a query. */
export const ANSWER = 8;
/** The buffer that gets the answers. */
export const ANSWERS = `VkBuffer#${OWN}`;
/** The pool of the queries. */
export const QUERIES = `VkQueryPool#${OWN}`;

/** By the index of a command's line, how often each submission carries the command out. */
export type Executions = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** Commands around another, and the queries that they use. */
interface Insertion {
  readonly before: readonly RecordedCall[];
  readonly after: readonly RecordedCall[];
  readonly first: number;
  readonly count: number;
  /** The number of actions among the commands. */
  readonly actions: number;
}

/** A recording of one device with queries of its own, whose answers each submission leaves in a buffer. */
export class QueryRecording {
  readonly #device: string;
  readonly #type: number;
  readonly #executions: Executions;
  readonly #insertions = new Map<number, Insertion>();
  #count = 0;

  /** Begins without queries. `type` is a VkQueryType. */
  constructor(device: string, type: number, executions: Executions) {
    this.#device = device;
    this.#type = type;
    this.#executions = executions;
  }

  /** Whether there are no queries. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The submissions that carry queries out. */
  get submissions(): readonly number[] {
    const all = [...this.#insertions.keys()].flatMap((index) => [...this.#executions.get(index)!.keys()]);
    return [...new Set(all)].sort((one, other) => one - other);
  }

  /** Adds commands around a line. `make` gets the number of the first of so many queries. */
  add(index: number, count: number, make: (first: number) => Pick<Insertion, "before" | "after" | "actions">): number {
    const first = this.#count;
    this.#insertions.set(index, { ...make(first), first, count });
    this.#count += count;
    return first;
  }

  /** The number of actions that a submission has more than the original. */
  addedActions(submission: number): number {
    const own = [...this.#insertions].filter(([index]) => this.#executions.get(index)!.has(submission));
    return own.reduce((sum, [, { actions }]) => sum + actions, 0) + this.#ranges(submission).length;
  }

  /** Writes the recording to a file, with the folder of bytes of another. `edit` changes lines that are no submissions. */
  write(
    path: string,
    original: string,
    lines: readonly RecordedLine[],
    edit: (line: RecordedLine) => RecordedLine,
  ): void {
    writeLines(path, original, this.#edited(lines, edit));
  }

  #edited(lines: readonly RecordedLine[], edit: (line: RecordedLine) => RecordedLine): RecordedLine[] {
    const resources = new Resources(), edited: RecordedLine[] = [], wanted = new Set(this.submissions);
    const last = Math.max(...wanted);
    let submission = 0, hasQueries = false, hasBuffer = false;
    for (const [index, line] of lines.entries()) {
      if ("command" in line) resources.note(line, index);
      if (!hasQueries && this.#isFirst(line, resources)) {
        edited.push(this.#pool());
        hasQueries = true;
      }
      if (!isSubmission(line)) {
        const { before, after } = this.#insertions.get(index) ?? { before: [], after: [] };
        edited.push(...before, edit(line), ...after);
        continue;
      }
      if (wanted.has(submission)) {
        if (!hasBuffer) edited.push(...this.#buffer(lines));
        hasBuffer = true;
        edited.push(...this.#around(line, resources, submission));
      } else edited.push(line);
      if (submission++ === last) break;
    }
    return edited;
  }

  /** Whether a line is the first that begins a command buffer of the device. */
  #isFirst(line: RecordedLine, resources: Resources): boolean {
    return "command" in line && line.command === "vkBeginCommandBuffer" &&
      resources.call(line.args.commandBuffer)?.args.device === this.#device;
  }

  #pool(): RecordedCall {
    const pCreateInfo = { queryType: this.#type, queryCount: this.#count };
    return { command: "vkCreateQueryPool", args: { device: this.#device, pCreateInfo }, out: { pQueryPool: QUERIES } };
  }

  #buffer(lines: readonly RecordedLine[]): RecordedCall[] {
    const size = this.#count * ANSWER, usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    return bufferLines({ device: this.#device, buffer: ANSWERS, size, usage }, lines);
  }

  /** The queries of a submission. Others have no answer, for which a copy would wait for ever. */
  #ranges(submission: number): { readonly firstQuery: number; readonly queryCount: number }[] {
    const ranges: { firstQuery: number; queryCount: number }[] = [];
    for (const [index, { first, count }] of this.#insertions) {
      if (!this.#executions.get(index)!.has(submission)) continue;
      const latest = ranges.at(-1);
      if (latest && latest.firstQuery + latest.queryCount === first) latest.queryCount += count;
      else ranges.push({ firstQuery: first, queryCount: count });
    }
    return ranges;
  }

  /** A submission between command buffers that reset the queries and copy their answers. */
  #around(call: RecordedCall, resources: Resources, submission: number): RecordedCall[] {
    const device = this.#device, commandPool = `VkCommandPool#${OWN + submission}`;
    const { queueFamilyIndex } = resources.info(resources.info(commandBuffersIn(call)[0])!.commandPool)!;
    const [before, after] = [0, 1].map((each) => `VkCommandBuffer#${OWN + submission * 2 + each}`);
    const pAllocateInfo = { commandPool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 2 };
    const flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT, stride = `${ANSWER}`;
    const copies = this.#ranges(submission).map((range) => ({
      command: "vkCmdCopyQueryPoolResults",
      args: {
        queryPool: QUERIES,
        ...range,
        dstBuffer: ANSWERS,
        dstOffset: `${range.firstQuery * ANSWER}`,
        stride,
        flags,
      },
    }));
    const reset = { queryPool: QUERIES, firstQuery: 0, queryCount: this.#count };
    return [
      {
        command: "vkCreateCommandPool",
        args: { device, pCreateInfo: { queueFamilyIndex } },
        out: { pCommandPool: commandPool },
      },
      {
        command: "vkAllocateCommandBuffers",
        args: { device, pAllocateInfo },
        out: { pCommandBuffers: [before, after] },
      },
      ...recorded(before, [{ command: "vkCmdResetQueryPool", args: reset }]),
      ...recorded(after, copies),
      { ...call, args: { ...call.args, pSubmits: between(call.args.pSubmits, before, after) } },
    ];
  }
}

/** Returns the answers of queries that were read from the buffer. */
export function answersIn(bytes: Uint8Array): BigUint64Array {
  return new BigUint64Array(bytes.slice().buffer);
}

function recorded(commandBuffer: string, commands: readonly RecordedCall[]): RecordedCall[] {
  return [
    { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: { flags: 0 } } },
    ...commands.map(({ command, args }) => ({ command, args: { commandBuffer, ...args } })),
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
