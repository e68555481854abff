/** Constants by name; `import * as gl from "@pumice/gfx/gl"` gives such an object. */
export type GlConstants = Readonly<Record<string, unknown>>;

/** Names of enumeration values. */
export class EnumNames {
  readonly #names = new Map<number, string>();

  /** Collects the names. Of several names with one value, the shortest counts: names of extensions are longer. */
  constructor(constants: GlConstants) {
    for (const [name, value] of Object.entries(constants)) {
      if (typeof value !== "number" || !/^E?GL_[A-Z0-9_a-z]+$/.test(name) || /_BIT\d*(?:_|$)/.test(name)) continue;
      const known = this.#names.get(value);
      if (known === undefined || name.length < known.length) this.#names.set(value, name);
    }
  }

  /** The name of a value, or the value itself if it has no name. Small values mean something else in each command. */
  of(value: number): string | number {
    return value < 0x100 ? value : this.#names.get(value) ?? value;
  }
}
