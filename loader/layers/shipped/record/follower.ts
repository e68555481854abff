import { destroyingOf, handlesOf } from "../../define/object_pairs.ts";
import type { Arguments } from "../trace/arguments.ts";
import { coreName } from "./commands.ts";
import { Effects } from "./effects.ts";
import type { RecordedCall, RecordedLine } from "./line.ts";
import { HandleNames } from "./names.ts";
import { beginInfo, type CallReader, callReader } from "./reader.ts";
import type { Sidecar } from "./sidecar.ts";
import { recordStyle } from "./style.ts";
import { Templates } from "./template.ts";
import { VK_NOT_READY, VK_TIMEOUT } from "../../../gen/native_gen.ts";

/** The work before and after a command. */
export interface Sides {
  /** Reads the inputs. */
  before(args: Arguments): RecordedCall;
  /** Completes the line and writes it. Not called after a failure. */
  after(call: RecordedCall, args: Arguments, result: unknown): void;
}

/** Waits without end. */
const FOREVER = `${2n ** 64n - 1n}`;
/** Results of commands that did nothing. */

/** Follows a program from call to call and writes the lines of its recording. */
export class Follower {
  readonly #names = new HandleNames();
  readonly #style;
  readonly #effects: Effects;
  readonly #templates: Templates;
  /** The levels of command buffers. */
  readonly #levels = new Map<string, number>();
  readonly #put: (line: RecordedLine) => void;

  /** `put` gets lines; `gap` gets sentences about calls that must have happened unseen. */
  constructor(sidecar: Sidecar, put: (line: RecordedLine) => void, gap: (sentence: string) => void) {
    this.#style = recordStyle(this.#names, sidecar);
    this.#templates = new Templates(this.#style);
    this.#put = put;
    this.#effects = new Effects({
      written: (write, offset, bytes) => put({ write, offset, content: sidecar.put(bytes) }),
      readable: (read, offset, bytes) => put({ read, offset, content: sidecar.put(bytes) }),
    }, gap);
  }

  /** Frees the memory. */
  close(): void {
    this.#effects.close();
  }

  /** Returns the work before and after a command. */
  sides(command: string): Sides {
    const reader = callReader(command, this.#style, this.#names), core = coreName(command);
    const destroying = destroyingOf(command);
    return {
      before: (raw) => {
        const call = this.#templates.rewrite(core, reader.given(raw), raw);
        if (core === "vkBeginCommandBuffer") this.#begin(call, raw);
        this.#effects.before(core, call);
        for (const handle of destroying ? handlesOf(destroying, raw) : []) this.#names.remove(destroying!.type, handle);
        return call;
      },
      after: (call, raw, result) => {
        if (result !== VK_NOT_READY && result !== VK_TIMEOUT) this.#finish(core, reader, call, raw);
      },
    };
  }

  #begin({ args }: RecordedCall, raw: Arguments): void {
    args.pBeginInfo = beginInfo(raw[1] as bigint, this.#levels.get(args.commandBuffer) ?? 0, this.#style);
  }

  #finish(core: string, reader: CallReader, call: RecordedCall, raw: Arguments): void {
    if (!reader.complete(call, raw)) return;
    const { args, out } = call;
    if (core === "vkAllocateCommandBuffers") {
      for (const name of out!.pCommandBuffers) this.#levels.set(name, args.pAllocateInfo.level);
    }
    this.#templates.note(core, call);
    const line = waitOf(core, call);
    this.#put(line);
    this.#effects.after(coreName(line.command), line, raw);
  }
}

/** Turns a query that was answered with yes into the wait that ends with the same answer. */
function waitOf(core: string, call: RecordedCall): RecordedCall {
  const { command, args: { device, fence, semaphore }, out } = call;
  if (core === "vkGetFenceStatus") {
    return { command: "vkWaitForFences", args: { device, pFences: [fence], waitAll: true, timeout: FOREVER } };
  }
  if (core !== "vkGetSemaphoreCounterValue") return call;
  const pWaitInfo = { flags: 0, pSemaphores: [semaphore], pValues: [out!.pValue] };
  return { command: command.replace(core, "vkWaitSemaphores"), args: { device, pWaitInfo, timeout: FOREVER } };
}
