import { VK_PIPELINE_BIND_POINT_GRAPHICS, VK_QUERY_TYPE_OCCLUSION } from "../../../loader/gen/enums_core_gen.js";
import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import type { Candidate } from "./candidates.ts";
import { OWN } from "./own_objects.ts";
import { type Executions, QUERIES, QueryRecording } from "./query_recording.ts";
import type { Texel } from "./texel.ts";
import { type Trial, TriedDraw } from "./variants.ts";

/** A draw's line with its trials and the first of their queries. */
interface Plan {
  readonly draw: TriedDraw;
  readonly trials: readonly Trial[];
  readonly first: number;
}

/**
 * A recording in which draws are tried out before they are carried out: with one test after the other, for one texel,
 * counting the samples that pass, and writing nothing.
 */
export class Trials {
  /** The recording with the queries. */
  readonly recording: QueryRecording;
  readonly #texel: Texel;
  readonly #plans = new Map<number, Plan>();
  /** Pipelines to make, by the pipeline that each is like. */
  readonly #wanted = new Map<string, { readonly name: string; readonly info: Fields }[]>();
  readonly #names = new Map<string, string>();

  /** Begins without draws. `device` is that of the texel's image. */
  constructor(texel: Texel, device: string, executions: Executions) {
    this.#texel = texel;
    this.recording = new QueryRecording(device, VK_QUERY_TYPE_OCCLUSION, executions);
  }

  /** Adds the line of a draw. Its state is the same at each submission. */
  add({ index, call, draw: facts }: Candidate): void {
    if (this.#plans.has(index)) return;
    const draw = new TriedDraw(facts!), trials = draw.trials(this.#texel), pipeline = facts!.pipeline!;
    const pipelines = trials.map(({ info }) => this.#pipeline(pipeline, info));
    const first = this.recording.add(index, trials.length, (first) => ({
      before: this.#tried(call, draw, pipelines, pipeline, first),
      after: [],
      actions: trials.length,
    }));
    this.#plans.set(index, { draw, trials, first });
  }

  /** Returns why a draw leaves the texel as it is, from the answers; `undefined` if a fragment passes all tests. */
  reasonOf({ index }: Candidate, answers: BigUint64Array): Trial["reason"] | undefined {
    const { trials, first, draw } = this.#plans.get(index)!;
    const reason = trials.find((_, at) => answers[first + at] === 0n)?.reason;
    if (reason === "not covered" || reason === "culled") return reason;
    return draw.isInScissor(this.#texel) ? reason : "scissor";
  }

  /** Whether a draw may not write the texel's attachment at all. */
  isMasked({ index }: Candidate): boolean {
    return this.#plans.get(index)!.draw.isMasked;
  }

  /** Makes the pipelines of the trials with those that they are like: later, their shaders may be gone. */
  readonly edit = (line: RecordedLine): RecordedLine => {
    if (!("command" in line) || line.command !== "vkCreateGraphicsPipelines") return line;
    const made = (line.out!.pPipelines as string[]).flatMap((name) => this.#wanted.get(name) ?? []);
    if (made.length === 0) return line;
    const pCreateInfos = [...line.args.pCreateInfos, ...made.map(({ info }) => info)];
    const pPipelines = [...line.out!.pPipelines, ...made.map(({ name }) => name)];
    return { ...line, args: { ...line.args, pCreateInfos }, out: { ...line.out, pPipelines } };
  };

  #pipeline(like: string, info: Fields): string {
    const key = JSON.stringify([like, info]), name = this.#names.get(key) ?? `VkPipeline#${OWN + this.#names.size}`;
    if (!this.#names.has(key)) this.#wanted.set(like, [...this.#wanted.get(like) ?? [], { name, info }]);
    this.#names.set(key, name);
    return name;
  }

  /** The trials of a draw, and the commands that bring its state back. */
  #tried(
    call: RecordedCall,
    draw: TriedDraw,
    pipelines: readonly string[],
    own: string,
    first: number,
  ): RecordedCall[] {
    const { commandBuffer } = call.args;
    const bind = (pipeline: string) => ({
      command: "vkCmdBindPipeline",
      args: { commandBuffer, pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline },
    });
    return [
      ...draw.scissoring(this.#texel),
      ...pipelines.flatMap((name, at) => [
        bind(name),
        { command: "vkCmdBeginQuery", args: { commandBuffer, queryPool: QUERIES, query: first + at, flags: 0 } },
        call,
        { command: "vkCmdEndQuery", args: { commandBuffer, queryPool: QUERIES, query: first + at } },
      ]),
      bind(own),
      ...draw.restoring,
    ];
  }
}
