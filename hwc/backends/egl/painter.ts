import {
  GL_DITHER,
  GL_SCISSOR_TEST,
  GL_STREAM_DRAW,
  GL_TEXTURE0,
  GL_TEXTURE_2D,
  GL_TRIANGLES,
  GL_UNIFORM_BUFFER,
} from "../../../egl/gl.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { Rect } from "../../types.ts";
import type { CompositionRule } from "../backend.ts";
import { COLOR_BYTES, ColorStore } from "../shader/color_store.ts";
import {
  areaOfRun,
  type Chunk,
  chunksOf,
  GOES_ON,
  LAYER_BYTES,
  shapeOf,
  TARGETS,
  wordOf,
  writeLayer,
} from "../shader/shape.ts";
import type { Painter, Run, Source, Step } from "../plan/step.ts";
import type { Surface } from "../surface.ts";
import type { GlDevice } from "./device.ts";
import { Programs, UNITS } from "./programs.ts";
import { rowsOf, Screens, WordTexture } from "./textures.ts";
import type { Gl } from "../../../egl/mod.ts";
import { KeptBuffers } from "../shader/kept_buffers.ts";

/** The textures and state of a buffer. */
interface KeptTexture {
  readonly words: WordTexture;
  /** The frame in which its pixels were copied; -1 if they are others now. */
  uploaded: number;
  close(): void;
}

/** Graphic buffers as textures. */
class SourceTextures {
  /** The entries kept for buffers; this map ends and forgets them. */
  readonly kept: KeptBuffers<KeptTexture>;

  /** Makes a painter without textures. */
  constructor(gl: Gl) {
    this.kept = new KeptBuffers(({ memory: { size } }) => {
      const words = new WordTexture(gl, size);
      return { words, uploaded: -1, close: () => words.close() };
    });
  }

  /** The texture of a buffer to read, with the pixels that it has now. */
  of({ buffer, isUnchanged }: Source): number {
    const kept = this.kept.of(buffer!), { frame } = this.kept;
    const isGood = kept.uploaded === frame || isUnchanged && kept.uploaded >= 0;
    if (!isGood) kept.words.upload(buffer!.memory.address);
    kept.uploaded = frame;
    return kept.words.texture;
  }

  /** Forgets a buffer's pixels, because somebody draws into the buffer. */
  drawnInto(buffer: GraphicBuffer): void {
    this.kept.touch(buffer, (kept) => kept.uploaded = -1);
  }
}

/** Draws by fragment shaders that compute in integers: buffers go to textures of words, pictures come back. */
export class EglPainter implements Painter {
  /** The backend's name. */
  readonly name = "egl";
  readonly #on: GlDevice;
  readonly #owned: DisposableStack;
  readonly #programs: Programs;
  readonly #screens: Screens;
  readonly #sources: SourceTextures;
  readonly #tables: WordTexture;
  readonly #colors: ColorStore;
  /** The tables of colours, and behind them the layers of one draw call. */
  readonly #block: NativeBlock;
  readonly #view: DataView;
  #uploaded = 0;

  /** Takes the device over, which is closed if this fails. */
  constructor(on: GlDevice) {
    using made = new DisposableStack();
    const { gl } = this.#on = made.use(on);
    this.#block = made.use(new NativeBlock(COLOR_BYTES + on.layersAtOnce * LAYER_BYTES));
    const { buffer, byteOffset } = this.#block.bytes;
    this.#view = new DataView(buffer, byteOffset + COLOR_BYTES, on.layersAtOnce * LAYER_BYTES);
    this.#colors = new ColorStore(new DataView(buffer, byteOffset, COLOR_BYTES));
    [this.#programs, this.#screens, this.#sources, this.#tables] = on.within(() => {
      setUp(gl, on.layersAtOnce * LAYER_BYTES);
      return [new Programs(gl), new Screens(gl), new SourceTextures(gl), new WordTexture(gl, COLOR_BYTES)] as const;
    });
    const parts = [this.#programs, this.#screens, this.#sources.kept, this.#tables];
    made.defer(() => on.within(() => parts.forEach((part) => part.close())));
    this.#owned = made.move();
  }

  /** RGBA, RGBX and BGRA of eight bits. */
  writes({ kind, width, height, pitch }: Surface, rule: CompositionRule): true | string {
    if (rule !== "p") return `its shaders have no rule "${rule}"`;
    const { mostTexels } = this.#on;
    if (width > mostTexels || height > mostTexels) return `its driver draws ${mostTexels} pixels a side at most`;
    if (pitch % 4 !== 0) return "its rows do not end with a pixel";
    return TARGETS[kind] !== undefined || `its shaders do not write ${kind}`;
  }

  /** All formats and blend modes. */
  can({ source }: Step): true | string {
    const size = source?.surface.size ?? 0, { mostTexels } = this.#on;
    if (size % 4 !== 0) return "its memory ends within a word";
    return rowsOf(size) <= mostTexels || `its driver has textures of ${mostTexels} rows at most`;
  }

  /** Draws. When it returns, the pixels are there. */
  paint(target: Surface, run: Run, buffer?: GraphicBuffer): void {
    const area = areaOfRun(run);
    if (area.length === 0) return;
    this.#on.within(() => {
      this.#screens.fit(target);
      if (!run.isFirst) this.#screens.load(target);
      for (const chunk of chunksOf(run, this.#on.layersAtOnce)) this.#draw(chunk, target, run, area);
      this.#screens.store(target, area);
      this.#sources.drawnInto(buffer!);
      this.#sources.kept.endFrame();
    });
  }

  /** Frees what is kept about a buffer. */
  forget(buffer: GraphicBuffer): void {
    this.#on.within(() => this.#sources.kept.forget(buffer));
  }

  /** Destroys everything. */
  close(): void {
    this.#owned.dispose();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #draw({ steps, isFirst }: Chunk, target: Surface, run: Run, area: readonly Rect[]): void {
    const { gl: { raw }, layersAtOnce, specialise } = this.#on, shapes = steps.map(shapeOf);
    const flags = TARGETS[target.kind]! | (isFirst ? 0 : GOES_ON);
    const { program, background } = this.#programs.of({ shapes, blockLayers: layersAtOnce, target: flags, specialise });
    this.#screens.next();
    this.#bind(steps);
    raw.glUseProgram(program);
    raw.glUniform1ui(background, wordOf(run.backgroundColor) >>> 0);
    for (const { left, top, right, bottom } of area) {
      raw.glScissor(left, top, right - left, bottom - top);
      raw.glDrawArrays(GL_TRIANGLES, 0, 3);
    }
  }

  /** The layers' block and textures. */
  #bind(steps: readonly Step[]): void {
    const { raw } = this.#on.gl;
    this.#colors.makeRoom(steps.flatMap(({ conversion }) => conversion ?? []));
    const textures = steps.map((step, k) => {
      writeLayer(this.#view, k * LAYER_BYTES, step, this.#colors.placeOf(step.conversion));
      return step.source ? this.#sources.of(step.source) : this.#tables.texture; // something must be there
    });
    if (this.#uploaded !== this.#colors.writes) this.#tables.upload(this.#block.address);
    this.#uploaded = this.#colors.writes;
    const bytes = BigInt(steps.length * LAYER_BYTES), layers = this.#block.address + BigInt(COLOR_BYTES);
    if (steps.length > 0) raw.glBufferSubData(GL_UNIFORM_BUFFER, 0n, bytes, layers);
    const bound = [[UNITS.tables, this.#tables.texture], [UNITS.below, this.#screens.below]];
    for (const [unit, texture] of [...bound, ...textures.map((texture, k) => [UNITS.source + k, texture])]) {
      raw.glActiveTexture(GL_TEXTURE0 + unit);
      raw.glBindTexture(GL_TEXTURE_2D, texture);
    }
    raw.glActiveTexture(GL_TEXTURE0);
  }
}

/** Sets the state of the context that never changes. */
function setUp(gl: GlDevice["gl"], blockBytes: number): void {
  gl.glDisable(GL_DITHER);
  gl.glEnable(GL_SCISSOR_TEST);
  const [buffer] = gl.glGenBuffers(1);
  gl.glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
  gl.raw.glBufferData(GL_UNIFORM_BUFFER, BigInt(blockBytes), 0n, GL_STREAM_DRAW);
}
