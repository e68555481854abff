import { findCommand } from "../../loader/command/registry/table.ts";
import type { RecordedLine } from "../recordings/record/line.ts";

/** Arguments by name, as in a recording. */
// deno-lint-ignore no-explicit-any -- what an argument is depends on the command
export type Arguments = Record<string, any>;

/** Writes the lines of a program: names what is created and destroys it at the end. */
export class Writer {
  /** The lines so far. */
  readonly lines: RecordedLine[] = [];
  /** The command buffer that commands are written to. */
  commandBuffer = "";
  readonly #counts = new Map<string, number>();
  readonly #endings: (() => void)[] = [];
  readonly #last: (() => void)[] = [];

  /** Returns a new name for an object of a type. */
  name(type: string): string {
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    return `${type}#${count}`;
  }

  /** Writes a call. */
  call(command: string, args: Arguments, out?: Arguments): void {
    this.lines.push(out ? { command, args, out } : { command, args });
  }

  /** Writes a command of the current command buffer. */
  command(command: string, args: Arguments = {}): void {
    this.call(command, { commandBuffer: this.commandBuffer, ...args });
  }

  /** Creates an object of the device that is destroyed at the end. Returns its name. */
  create(type: string, pCreateInfo: Arguments): string {
    const name = this.name(type), kind = type.slice(2), parameterOf = (command: string) => findCommand(command)!.params;
    this.call(`vkCreate${kind}`, { device: DEVICE, pCreateInfo }, {
      [parameterOf(`vkCreate${kind}`).at(-1)!.name]: name,
    });
    const [, { name: destroyed }] = parameterOf(`vkDestroy${kind}`);
    this.atEnd(() => this.call(`vkDestroy${kind}`, { device: DEVICE, [destroyed]: name }));
    return name;
  }

  /** Creates a pipeline that is destroyed at the end. */
  createPipeline(command: string, info: Arguments): string {
    const name = this.name("VkPipeline");
    this.call(command, { device: DEVICE, pCreateInfos: [info] }, { pPipelines: [name] });
    this.atEnd(() => this.call("vkDestroyPipeline", { device: DEVICE, pipeline: name }));
    return name;
  }

  /** Notes what is written at the end, the latest first. */
  atEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  /** Notes what is written after that. */
  atVeryEnd(ending: () => void): void {
    this.#last.push(ending);
  }

  /** Writes all endings. */
  end(): void {
    for (const ending of this.#endings.toReversed()) ending();
    for (const ending of this.#last) ending();
  }
}

/** The only device of a program. */
export const DEVICE = "VkDevice#1";
/** The only queue of the program. */
export const QUEUE = "VkQueue#1";
