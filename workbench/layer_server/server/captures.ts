import type { OtherMemory } from "../../../ffi/arena_memory.ts";
import { readFrom } from "../../../ffi/machine.ts";
import type { CopiedMemory } from "../../../loader/layer.ts";
import { Gathers } from "./gathers.ts";
import { NotedMemory } from "./late_call.ts";
import type { LateCommands } from "./late_commands.ts";
import type { LayerKind } from "./layer_kind.ts";
import type { Note } from "./notes.ts";
import type { Transport } from "./transport.ts";

/** The parts of a session that captures need. */
interface CaptureSpec<Kind extends { readonly name: string }> {
  readonly kind: LayerKind<Kind>;
  readonly channel: Pick<Transport, "view" | "place">;
  readonly layers: () => readonly Kind[];
  readonly late: Pick<LateCommands<Kind>, "isUsed" | "copiesOf">;
}

/** The captures of layers for calls whose hooks run late: from what programs gathered, or while the calls wait. */
export class Captures<Kind extends { readonly name: string }> {
  readonly #spec: CaptureSpec<Kind>;
  readonly #gathers: Gathers;

  /** Nothing is gathered at first. */
  constructor(spec: CaptureSpec<Kind>) {
    this.#spec = spec;
    const { kind, channel, late } = spec;
    this.#gathers = new Gathers(channel, kind.captured.flatMap((name) => late.copiesOf(name)));
  }

  /** Tells programs what to gather from now on: to be called before memory ends, and while a call waits. */
  refresh(): void {
    const { kind, late, layers } = this.#spec;
    if (!late.isUsed || kind.captured.length === 0) return;
    this.#gathers.refresh(layers().map((layer) => kind.gathering(layer)));
  }

  /** Lets layers capture before a call that waits for that alone. */
  now(command: string, args: readonly (number | bigint)[]): void {
    const { kind, layers } = this.#spec;
    for (const layer of layers()) kind.capture(layer, command, args, false);
  }

  /** Lets layers capture from what the program gathered before the call of a note, as if that were all of its memory. */
  fromNote(
    { view }: Note,
    command: string,
    args: readonly (number | bigint)[],
    memory: OtherMemory,
    copies: readonly CopiedMemory[],
  ): void {
    const gathered = this.#gathers.of(view), { kind, layers } = this.#spec;
    if (!gathered) return;
    const all = [...copies, ...gathered], before = readFrom(new NotedMemory(memory, () => all, () => false, true));
    try {
      for (const layer of layers()) kind.capture(layer, command, args, true);
    } finally {
      readFrom(before);
    }
  }

  /** Lets programs gather again where they gathered for a note. */
  free({ view }: Note): void {
    this.#gathers.free(view);
  }
}
