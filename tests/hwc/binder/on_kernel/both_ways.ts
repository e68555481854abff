import type { BinderComposer } from "../../../../hwc/binder/connected/composer.ts";
import { connectComposer } from "../../../../hwc/remote/client/connect.ts";
import { Screen } from "./screen.ts";

/** The same frames on two composers of one process: one behind a socket, one behind binder. */
export class BothWays implements AsyncDisposable {
  readonly #composers: readonly AsyncDisposable[];
  readonly #screens: readonly Screen[];
  #number = 0;

  /** `socket` is the path of the one; the other is connected. Both are closed at the end. */
  constructor(socket: string, binder: BinderComposer) {
    const composers = [connectComposer(socket), binder] as const;
    this.#composers = composers;
    this.#screens = composers.map((composer) => new Screen(composer));
  }

  /** Turns the displays on and makes the layers. */
  async open(): Promise<void> {
    for (const screen of this.#screens) await screen.open();
  }

  /** Shows so many frames on each in turn, and gives the milliseconds that the middle one took: socket, binder. */
  async frames(count: number): Promise<number[]> {
    const times: number[][] = this.#screens.map(() => []);
    for (let left = count; left > 0; left--, this.#number++) {
      for (const [index, screen] of this.#screens.entries()) times[index].push(await screen.frame(this.#number));
    }
    return times.map((each) => each.toSorted((one, other) => one - other)[each.length >> 1]);
  }

  /** Shows so many frames on one of them, 0 for the socket and 1 for binder: the milliseconds of the middle one. */
  async alone(way: number, count: number): Promise<number> {
    const times: number[] = [];
    for (let left = count; left > 0; left--) times.push(await this.#screens[way].frame(this.#number++));
    return times.sort((one, other) => one - other)[times.length >> 1];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const screen of this.#screens) screen.close();
    for (const composer of this.#composers) await composer[Symbol.asyncDispose]();
  }
}
