import type { ForeignThreadPolicy } from "../../../loader/layer.ts";
import { HANDED } from "../layout.ts";
import type { CopyStep } from "./copies.ts";
import type { LayerKind } from "./layer_kind.ts";
import type { Transport } from "./transport.ts";

/** The parts of a session that late calls need. */
interface LateSpec<Kind extends { readonly name: string }> {
  readonly kind: LayerKind<Kind>;
  readonly channel: Transport;
  readonly layers: () => readonly Kind[];
  readonly policyOf: (command: string) => ForeignThreadPolicy;
  /** Whether a program has a thread, by the kernel's id. */
  readonly hasThread: (thread: number) => boolean;
  /** The copies of commands that are recorded, which are never late. */
  readonly copies: ReadonlyMap<string, readonly CopyStep[]>;
}

/** Submissions that a thread makes in a row before its calls may be late: the first ones are often another thread's. */
const ROW = 4;
/** Submissions of other threads that are told. */
const MANY = 100;

/**
 * The commands whose hooks run after the calls, as long as all layers with such hooks let them, and one program calls.
 * They do so on one thread alone, which submits: its notes are in the order of its calls, and the calls of other threads
 * wait for their hooks, behind the notes of all calls that are over by then.
 */
export class LateCommands<Kind extends { readonly name: string }> {
  readonly #spec: LateSpec<Kind>;
  readonly #names: readonly string[];
  readonly #copies: ReadonlyMap<string, readonly CopyStep[]>;
  /** Numbers of the commands. */
  #numbers: readonly number[] = [];
  #thread: number | undefined;
  /** The thread of the latest submissions, and how many came in a row. */
  #row: readonly [thread: number, count: number] = [0, 0];
  /** The number of submissions of other threads that waited for their hooks, since one thread's may be late. */
  #others = 0;
  #isOver = false;
  #isLate = false;

  /** Nothing is late at first. */
  constructor(spec: LateSpec<Kind>) {
    const { kind, channel: { processor }, copies } = this.#spec = spec;
    this.#names = kind.names();
    const late = Object.entries(kind.late).filter(([name]) => !copies.has(name));
    this.#copies = new Map(late.map(([name, paths]) => [name, kind.planCopies(name, paths, processor)]));
  }

  /** Whether any call may be late. */
  get isUsed(): boolean {
    return this.#numbers.length > 0;
  }

  /** Whether a call of a command may wait for the device, a window or other threads. */
  mayTakeLong(command: number): boolean {
    return this.#spec.kind.waiting.includes(this.#names[command]);
  }

  /** The copies for all notes, by the numbers of the commands. */
  plans(): Map<number, readonly CopyStep[]> {
    const all = [...this.#spec.copies, ...this.#copies];
    return new Map(all.map(([name, steps]) => [this.#names.indexOf(name), steps]));
  }

  /** The copies for the notes of late calls of a command. */
  copiesOf(command: string): readonly CopyStep[] {
    return this.#copies.get(command) ?? [];
  }

  /** Takes the layers as they are now, with the commands that each hooks. */
  refresh(hooked: ReadonlySet<string>, wants: readonly (readonly [Kind, readonly string[]])[]): void {
    const { kind, policyOf, channel } = this.#spec;
    const mayBeLate = (name: string) =>
      wants.every(([layer, names]) => !names.includes(name) || kind.mayBeLate(layer) !== undefined);
    const names = [...this.#copies.keys()].filter((name) => hooked.has(name) && policyOf(name) === "block");
    this.#numbers = names.filter(mayBeLate).map((name) => this.#names.indexOf(name));
    this.#isLate = false;
    if (this.isUsed) channel.allowNotes();
  }

  /** Lets hooks run late, or before calls again, as the layers want from the next call on. The last call was this one. */
  choose({ thread, command }: { readonly thread: number; readonly command: number }, isAlone: boolean): void {
    if (!this.isUsed || this.#isOver) return;
    const { kind, channel, layers } = this.#spec;
    this.#isOver = !isAlone;
    if (kind.captured.includes(this.#names[command])) this.#submitted(thread);
    const chosen = this.#thread;
    const isLate = chosen !== undefined && !this.#isOver && layers().every((layer) => kind.mayBeLate(layer) ?? true);
    if (isLate === this.#isLate || !channel.allowLate(isLate ? chosen : 0)) return;
    this.#isLate = isLate;
    for (const number of this.#numbers) {
      const how = kind.captured.includes(this.#names[number]) ? HANDED.captured : HANDED.late;
      channel.hand(number, isLate ? how : HANDED.over);
    }
  }

  /** Tells of submissions of other threads, if there were many. */
  tellOthers(log: (message: string) => void): void {
    if (this.#others < MANY) return;
    log(`${this.#others} submissions waited for the layers, since another thread submitted first: frames took longer`);
  }

  /** Chooses the thread whose calls may be late. It stays chosen while it lives: it may be within a call that is noted. */
  #submitted(thread: number): void {
    this.#row = [thread, this.#row[0] === thread ? this.#row[1] + 1 : 1];
    if (this.#thread === thread) return;
    if (this.#thread !== undefined) this.#others++;
    if (this.#row[1] < ROW || this.#thread !== undefined && this.#spec.hasThread(this.#thread)) return;
    this.#thread = thread;
    this.#isLate = false; // so that the channel hears of the thread
  }
}
