import { createHash } from "node:crypto";
import { arena, bytesAt } from "../../../../../ffi/arena.ts";
import { defineLayer, loadVulkan, type Vulkan } from "../../../../../loader/mod.ts";
import { type RecordedLine, type RecordedStream, replayRecording } from "../../../../../workbench/layers.ts";
import type { Layer } from "../../../../../loader/layer.ts";
import { libcAddress } from "../../../../../ffi/libc.ts";
import { invokeAddress, peek64 } from "../../../../../ffi/machine.ts";
import { behind, LEAVABLE, submissionsOf, type Submitted } from "./actions.ts";
import type { Fault } from "./fault.ts";
import { type Doings, faultLayer } from "./fault_layer.ts";

const WHOLE_SIZE = 2n ** 64n - 1n, ALLOCATION_SIZE = 16n;

/** Memory of a device that is mapped while it lives. */
interface Block {
  readonly address: bigint;
  readonly size: bigint;
}

/**
 * Tells which action is the first whose result a fault changes, by nothing but
 * the bytes of all memory of a device that the host can see, with later
 * commands left out.
 */
export class Oracle implements Disposable {
  readonly #vulkan: Vulkan;
  readonly #blocks = new Map<bigint, Block>();
  #doings: Doings = {};

  /** Opens a driver all of whose memory can be mapped. */
  constructor(driver: string) {
    const layers = [faultLayer(() => this.#doings, LEAVABLE), this.#memoryLayer()];
    this.#vulkan = loadVulkan({ driver, layers }) as Vulkan;
  }

  /** Begins with a recording. */
  program(stream: RecordedStream): OracleOfProgram {
    return new OracleOfProgram(stream, (lines, doings) => this.#replay({ ...stream, lines }, doings));
  }

  /** Closes the driver. */
  [Symbol.dispose](): void {
    this.#vulkan.close();
  }

  /** The checksums of all memory after each submission. */
  #replay(stream: RecordedStream, doings: Doings): string[] {
    const found: string[] = [];
    this.#doings = doings;
    this.#blocks.clear();
    replayRecording(this.#vulkan, stream, { onSubmit: () => found.push(this.#checksum()) });
    return found;
  }

  #checksum(): string {
    const hash = createHash("md5");
    for (const { address, size } of this.#blocks.values()) hash.update(bytesAt(address, Number(size)));
    return hash.digest("hex");
  }

  /** Memory is mapped and zeroed when it is allocated. */
  #memoryLayer(): Layer {
    const blocks = this.#blocks, memset = libcAddress("memset");
    return defineLayer({
      name: "VK_LAYER_TEST_memory",
      commands: {
        vkAllocateMemory(next, ...raw) {
          const result = next(...raw), [device, info, , out] = raw, memory = peek64(out), room = arena();
          const size = peek64(info + ALLOCATION_SIZE), pointer = room.address(room.alloc(8));
          this.below(device).vkMapMemory(device, memory, 0n, WHOLE_SIZE, 0, pointer);
          const address = peek64(pointer);
          invokeAddress(memset, "q:qsq", [address, 0, size]); // void *memset(void *, int, size_t)
          blocks.set(memory, { address, size });
          return result;
        },
        vkFreeMemory(next, device, memory, allocator) {
          blocks.delete(memory);
          next(device, memory, allocator);
        },
      },
    });
  }
}

/** Replays lines; returns what the memory is after each submission. */
type Replay = (lines: RecordedLine[], doings: Doings) => string[];

/** The knowledge of the oracle about one recording. */
export class OracleOfProgram {
  readonly #lines: RecordedLine[];
  readonly #replay: Replay;
  readonly #submissions: Submitted[];
  /** Memory of the program without a fault: after each submission, and after each action. */
  readonly #whole: string[];
  readonly #parts = new Map<string, string>();

  /** Replays the program once. */
  constructor({ lines }: RecordedStream, replay: Replay) {
    this.#lines = lines;
    this.#replay = replay;
    this.#submissions = submissionsOf(lines);
    this.#whole = replay(lines, {});
  }

  /** Returns the number of the first submission behind which a fault has changed a byte; undefined for none. */
  submission(fault: Fault): number | undefined {
    const whole = this.#replay(this.#lines, { fault });
    const found = whole.findIndex((each, index) => each !== this.#whole[index]);
    return found < 0 ? undefined : found;
  }

  /**
   * Returns the indices of the lines of a submission's actions behind which a byte is another one, and before which
   * none is. There are several if bytes become equal again.
   */
  firsts(fault: Fault, submission: number): number[] {
    const { actions, commands } = this.#submissions[submission];
    return actions.flatMap((_, at) => this.isFirst(fault, submission, at) ? commands[actions[at]].index : []);
  }

  /** Whether such an action is the one of a number. */
  isFirst(fault: Fault, submission: number, action: number): boolean {
    return !this.#differs(fault, submission, action) && this.#differs(fault, submission, action + 1);
  }

  /** Returns the number of the action of a line in a submission; -1 if there is none. */
  actionAt(submission: number, line: number): number {
    const { actions, commands } = this.#submissions[submission];
    return actions.findIndex((at) => commands[at].index === line);
  }

  #differs(fault: Fault, submission: number, count: number): boolean {
    if (count === 0) return false;
    const key = `${submission} ${count}`, clean = this.#parts.get(key) ?? this.#part(submission, count);
    this.#parts.set(key, clean);
    return this.#part(submission, count, fault) !== clean;
  }

  #part(submission: number, count: number, fault?: Fault): string {
    const { line } = this.#submissions[submission];
    const without = behind(this.#submissions[submission], count);
    return this.#replay(this.#lines.slice(0, line + 1), { fault, without }).at(-1)!;
  }
}
