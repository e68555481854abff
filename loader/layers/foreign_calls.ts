import { type RecordedCall, Ring } from "../../ffi/ring.ts";
import type { Thunk, ThunkOptions } from "../../ffi/thunk.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { ForeignThreadPolicy, Layer } from "../layer.ts";
import { hookedBy } from "./hooked.ts";

/** How often calls are looked for that other threads have made, in milliseconds. */
const INTERVAL = 100;
/** The policies, by how much they ask for: of several layers that hook a command, the last counts. */
const POLICIES: readonly ForeignThreadPolicy[] = ["skip", "record", "block"];

/** What a layer wants done with calls of a command on other threads. */
export function policyOf({ onForeignThread = "skip" }: Layer, command: string): ForeignThreadPolicy {
  if (typeof onForeignThread === "string") return onForeignThread;
  return onForeignThread[command as keyof RawCommands] ?? "skip";
}

/** What is done with calls of a command on other threads where several of these layers hook it. */
export function jointPolicy(layers: readonly Layer[], command: string): ForeignThreadPolicy {
  const asking = layers.filter((layer) => hookedBy(layer).some(({ name }) => name === command));
  return POLICIES[Math.max(0, ...asking.map((layer) => POLICIES.indexOf(policyOf(layer, command))))];
}

/** The calls that other threads made of hooked commands, for the layers that want to hear of them. */
export class ForeignCalls implements Disposable {
  readonly #listeners = new Map<Thunk, (call: RecordedCall) => void>();
  #ring: Ring | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** How the callback of a command is made to follow a policy. Not inside a callback. */
  options(policy: ForeignThreadPolicy): Pick<ThunkOptions, "onForeignThread" | "ring"> {
    return policy === "record" ? { onForeignThread: policy, ring: this.#openRing() } : { onForeignThread: policy };
  }

  /** Has `tell` called about the recorded calls of a callback. */
  listen(thunk: Thunk, tell: (call: RecordedCall) => void): void {
    this.#listeners.set(thunk, tell);
  }

  /** Tells the layers what was recorded until now; returns of how many calls. */
  drain(): number {
    return this.#ring?.drain((call) => this.#listeners.get(call.thunk)?.(call)) ?? 0;
  }

  /** How many calls found no room and were not recorded. */
  get lost(): number {
    return this.#ring?.lost ?? 0;
  }

  /** Tells what is left and frees the memory. No callback may be left. */
  close(): void {
    clearInterval(this.#timer);
    try {
      this.drain();
    } finally {
      this.#ring?.close();
      this.#ring = undefined;
    }
  }

  /** Frees the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #openRing(): Ring {
    if (!this.#ring) {
      this.#ring = new Ring({ records: 4096 });
      this.#timer = setInterval(() => this.drain(), INTERVAL);
      Deno.unrefTimer(this.#timer);
    }
    return this.#ring;
  }
}
