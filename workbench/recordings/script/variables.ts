import type { RecordedLine } from "../record/line.ts";
import { madeBy } from "../state_tracker/names.ts";

/** The members of a test's context, besides words of JavaScript. */
const TAKEN = new Set([
  "buffer",
  "image",
  "device",
  "queue",
  "sampler",
  "commands",
  "owned",
  "submit",
  "instance",
  "event",
  "view",
  "renderPass",
  "graphicsPipeline",
  "computePipeline",
  "descriptorSet",
]);

/** Names the objects of a recording as variables of a script. */
export class Variables {
  readonly #names = new Map<string, string>();
  /** Expressions of objects that are members of something. */
  readonly #members = new Map<string, string>();
  /** The number of variables without an object of the recording, by their names without a number. */
  readonly #more = new Map<string, number>();

  /** Gives each object a name by its type, with a number where there are several. */
  constructor(lines: readonly RecordedLine[]) {
    const byType = new Map<string, string[]>();
    for (const name of new Set(lines.flatMap((line) => [...madeBy(line)]))) {
      const [type] = name.split("#");
      byType.set(type, [...byType.get(type) ?? [], name]);
    }
    for (const [type, names] of byType) {
      const plain = plainName(type), isAlone = names.length === 1 && !TAKEN.has(plain);
      for (const [index, name] of names.entries()) this.#names.set(name, isAlone ? plain : `${plain}${index + 1}`);
    }
  }

  /** Returns the variable of an object. */
  of(name: string): string {
    return this.#names.get(name) ?? name;
  }

  /** Returns another variable, for something that is no object of the recording. */
  more(name: string): string {
    const count = (this.#more.get(name) ?? 0) + 1;
    this.#more.set(name, count);
    return count === 1 ? name : `${name}${count}`;
  }

  /** Says that an object is a member of something. */
  define(name: string, member: string): void {
    this.#members.set(name, member);
  }

  /** Returns the expression for an object's handle. Buffers are objects with their memory. */
  handle(name: string): string {
    if (/^Vk(Device|Queue|Instance|PhysicalDevice)#/.test(name)) return plainName(name.split("#")[0]);
    const member = this.#members.get(name);
    if (member !== undefined) return member;
    return name.startsWith("VkBuffer#") ? `${this.of(name)}.buffer` : this.of(name);
  }
}

/** Such as `renderPass` for VkRenderPass. */
function plainName(type: string): string {
  const name = type.slice(2).replace(/[A-Z]+$/, "");
  return name[0].toLowerCase() + name.slice(1);
}
