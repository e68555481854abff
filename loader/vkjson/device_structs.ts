import { codec } from "../codec/codec.ts";
import type { Field } from "../codec/layout/layout.ts";
import { arraysCountedBy } from "../codec/layout/form.ts";
import type { VkPhysicalDevice } from "../types.ts";
import { type JsonObject, structJson } from "./json_value.ts";

type Members = Record<string, unknown>;
type Ask = (chain: Members[]) => { pNext: Members[] };

/**
 * Queries a physical device for one struct after the other, each once, and
 * alone in its chain, because some may not stand together.
 */
export class DeviceStructs {
  readonly #gpu: VkPhysicalDevice;
  readonly #suffix: string;
  readonly #known = new Map<string, JsonObject>();

  /** `suffix` is `"KHR"` if only the extension has the queries. */
  constructor(gpu: VkPhysicalDevice, suffix: "" | "KHR" = "") {
    this.#gpu = gpu;
    this.#suffix = suffix;
  }

  /** A struct by its name in the tables, as vkjson writes it. */
  get(name: string): JsonObject {
    let found = this.#known.get(name);
    if (!found) this.#known.set(name, found = structJson(name, this.#ask(name)));
    return found;
  }

  #ask(name: string): Members {
    const { sType } = codec(name), first = this.#answer(name, { sType }), room = arraysToFill(name, first);
    return room ? this.#answer(name, { sType, ...room }) : first;
  }

  #answer(name: string, question: Members): Members {
    const what = name.includes("Features") ? "Features2" : "Properties2";
    const gpu = this.#gpu as unknown as Record<string, Ask>;
    return gpu[`vkGetPhysicalDevice${what}${this.#suffix}`]([question]).pNext[0];
  }
}

/**
 * Returns room for the arrays whose counts the driver has given, if a second
 * query is needed; `undefined` otherwise.
 */
function arraysToFill(name: string, answer: Members): Members | undefined {
  const { layout } = codec(name);
  const pairs = layout.fields.flatMap((counter) =>
    arraysCountedBy(layout, counter).filter(({ stars }) => stars > 0)
      .flatMap((array) => [[counter.name, answer[counter.name]], [array.name, room(array, answer[counter.name])]])
  );
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function room({ kind }: Field, count: unknown): unknown[] {
  return Array.from({ length: Number(count) }, () => kind === "struct" ? {} : 0);
}
