import type { Gl } from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { NativeBlock } from "../../../ffi/block.ts";

/** Values that move by themselves, and names of another query with which Mesa ends the process. */
const LEFT_OUT = new Set<number>([
  ...[g.GL_TIMESTAMP_EXT, g.GL_GPU_DISJOINT_EXT],
  ...[g.GL_DEVICE_LUID_EXT, g.GL_DEVICE_UUID_EXT, g.GL_DRIVER_UUID_EXT, g.GL_DEVICE_NODE_MASK_EXT],
]);
/** Bytes for the longest list of any query. */
const ROOM = 1 << 16;

/** Every value that a context answers glGetFloatv() and glIsEnabled() for, and the default framebuffer's buffers. */
export class GlState implements Disposable {
  readonly #gl: Gl;
  readonly #names: readonly number[];
  readonly #caps: readonly number[];
  readonly #block = new NativeBlock(ROOM);

  /** Tries every constant of the registry as a name. */
  constructor(gl: Gl) {
    this.#gl = gl;
    const all = [...new Set(Object.values(g as Record<string, unknown>))]
      .filter((value): value is number => typeof value === "number" && value > 0x100 && value < 0x100000)
      .filter((value) => !LEFT_OUT.has(value));
    const answers = (ask: (name: number) => void) => (name: number) => (ask(name), gl.raw.glGetError() === 0);
    while (gl.raw.glGetError() !== 0);
    this.#names = all.filter(answers((name) => gl.raw.glGetFloatv(name, this.#block.address)));
    this.#caps = all.filter(answers((name) => gl.raw.glIsEnabled(name)));
  }

  /** The number of values. */
  get size(): number {
    return this.#names.length + this.#caps.length;
  }

  /** Reads everything, by name; by the negative name, what is enabled. */
  read(): Map<number, string> {
    const { view, address, bytes } = this.#block, state = new Map<number, string>();
    for (const name of this.#names) {
      bytes.fill(0, 0, 256);
      this.#gl.raw.glGetFloatv(name, address);
      state.set(name, [0, 1, 2, 3, 15].map((index) => view.getFloat32(4 * index, true)).join());
    }
    for (const name of this.#caps) state.set(-name, `${this.#gl.raw.glIsEnabled(name)}`);
    return state;
  }

  [Symbol.dispose](): void {
    this.#block.close();
  }
}

/** The values that differ, as sentences. */
export function changes(before: Map<number, string>, after: Map<number, string>): string[] {
  return [...before].filter(([name, value]) => after.get(name) !== value)
    .map(([name, value]) => `${label(name)}: ${value} became ${after.get(name)}`);
}

function label(value: number): string {
  const names = Object.entries(g as Record<string, unknown>).filter(([, each]) => each === Math.abs(value)).map((
    [name],
  ) => name);
  return names.sort((one, other) => one.length - other.length)[0] ?? `0x${value.toString(16)}`;
}
