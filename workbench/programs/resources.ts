import type { Format } from "./formats.ts";
import { AccessState } from "./state.ts";

/** A buffer of a program. */
export interface FuzzBuffer {
  /** The name. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The last access. */
  readonly state: AccessState;
  /** The action that wrote it last. */
  writer: number;
}

/** A size in texels. */
export interface Extent {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Slices. */
  readonly depth: number;
}

/** The shape of an image. */
export interface Shape extends Extent {
  /** VkImageType. */
  readonly type: number;
  /** Levels of detail. */
  readonly mips: number;
  /** Array layers. */
  readonly layers: number;
  /** Samples of a texel. */
  readonly samples: number;
  /** Whether it can be seen as a cube. */
  readonly cube: boolean;
}

/** An image of a program. All its aspects are in one layout. */
export class FuzzImage {
  /** The action that wrote it last. */
  writer = -1;
  /** Steps of its format that two drivers may be apart. */
  steps = 0;
  /** The most that this ever was. */
  most = 0;
  readonly #states: AccessState[];

  /** Takes the name of a created image. */
  constructor(
    readonly name: string,
    readonly format: Format,
    readonly shape: Shape,
    readonly usage: number,
  ) {
    this.#states = Array.from({ length: shape.mips * shape.layers }, () => new AccessState());
  }

  /** Returns what was done last with a subresource. */
  state(mip: number, layer: number): AccessState {
    return this.#states[mip * this.shape.layers + layer];
  }

  /** Returns the size of a level. */
  extent(mip: number): Extent {
    const { width, height, depth } = this.shape;
    const at = (size: number) => Math.max(1, size >> mip);
    return { width: at(width), height: at(height), depth: at(depth) };
  }

  /** VkImageAspectFlags of all aspects. */
  get aspects(): number {
    const { numbers } = this.format;
    return numbers === "depth" ? 2 : numbers === "stencil" ? 4 : numbers === "both" ? 6 : 1;
  }

  /** Every level and layer. */
  get subresources(): { mip: number; layer: number }[] {
    const { mips, layers } = this.shape;
    return Array.from(
      { length: mips * layers },
      (_, index) => ({ mip: Math.floor(index / layers), layer: index % layers }),
    );
  }
}
