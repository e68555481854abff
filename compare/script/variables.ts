import type { RecordedLine } from "../../loader/layers.ts";
import { madeBy } from "../follow/names.ts";

/** What a test gets from its context, besides words of JavaScript. */
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
]);

/** Names the objects of a recording as variables of a script. */
export class Variables {
  readonly #names = new Map<string, string>();

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

  /** Returns the expression for an object's handle. Buffers are objects with their memory. */
  handle(name: string): string {
    if (/^Vk(Device|Queue|Instance|PhysicalDevice)#/.test(name)) return plainName(name.split("#")[0]);
    return name.startsWith("VkBuffer#") ? `${this.of(name)}.buffer` : this.of(name);
  }
}

/** Such as `renderPass` for VkRenderPass. */
function plainName(type: string): string {
  const name = type.slice(2).replace(/[A-Z]+$/, "");
  return name[0].toLowerCase() + name.slice(1);
}
