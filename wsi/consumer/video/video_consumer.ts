import { checkOptions, list, number, type OptionRules, text, typed } from "../../../ffi/check_options.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { makeFoldersOf } from "../file_pattern.ts";
import type { FrameSource } from "../../contract/frame_consumer.ts";
import type { FrameView } from "../frame_view.ts";
import { CallbackConsumer } from "../frames.ts";
import { checkEncoder, Encoder } from "./encoder.ts";

/** Settings of {@linkcode videoConsumer}. */
export interface VideoOptions {
  /** The file; its extension chooses the container: `.mp4`, `.mkv`, `.webm`, `.gif` …. An existing file is replaced. */
  readonly path: string;
  /** Frames a second; every frame is shown for the same time. Default 60. */
  readonly frameRate?: number;
  /** The ffmpeg program. Default `"ffmpeg"`, searched on `PATH`. */
  readonly ffmpeg?: string;
  /**
   * An encoder by ffmpeg's name, such as `"ffv1"`, which is lossless in a `.mkv`. Default: the container's usual
   * encoder.
   */
  readonly codec?: string;
  /** More arguments for ffmpeg, before the path, such as `["-crf", "30"]`. */
  readonly args?: readonly string[];
}

const RULES: OptionRules<VideoOptions> = {
  path: typed("the path of a file", "string"),
  frameRate: number,
  ffmpeg: text("the path of ffmpeg"),
  codec: text("a codec's name"),
  args: list("a list of arguments", typed("a text", "string")),
};

/** Kinds of files whose usual encoders are given what every player can show: half the color resolution, even sizes. */
const USUAL = /\.(mp4|m4v|mov|mkv|webm)$/i;
const FOR_ALL_PLAYERS = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"];

/** A consumer that writes frames to a video. Made by {@linkcode videoConsumer}. */
export class VideoConsumer extends CallbackConsumer {
  #options: VideoOptions;
  #encoder: Encoder | undefined;
  #picture: { readonly width: number; readonly height: number; readonly memory: NativeBlock } | undefined;
  #finished: Promise<void> | undefined;
  #isOver = false;
  #written = 0;

  /** Use {@linkcode videoConsumer}. */
  constructor(options: VideoOptions) {
    super((frame) => this.#write(frame));
    checkOptions("videoConsumer()", options, RULES);
    const { path, frameRate = 60 } = options;
    if (path === "") throw new TypeError('Cannot write a video nowhere: give a path such as "out/demo.mp4"');
    if (!(frameRate > 0 && frameRate < Infinity)) {
      throw new RangeError(`Cannot show ${frameRate} frames a second: give a number above 0`);
    }
    this.#options = options;
  }

  /** Number of frames written. */
  get written(): number {
    return this.#written;
  }

  /** Checks that ffmpeg is available. Throws a WsiError `encoder-failed` if not. */
  override attach(source: FrameSource): void {
    checkEncoder(this.#program);
    super.attach(source);
  }

  /**
   * Ends the video; ffmpeg then completes the file. Wait for the file with {@linkcode VideoConsumer.finish}. A second
   * call does nothing.
   */
  override close(): void {
    super.close();
    this.#isOver = true;
    this.#encoder?.end();
    this.#picture?.memory.close();
    this.#picture = undefined;
  }

  /**
   * Completes the file and waits for it. Rejects with a WsiError `encoder-failed` that has ffmpeg's last output.
   * Without a frame there is no file.
   */
  finish(): Promise<void> {
    this.close();
    return this.#finished ??= this.#encoder?.finish() ?? Promise.resolve();
  }

  get #program(): string {
    return this.#options.ffmpeg ?? "ffmpeg";
  }

  /** Frames of another size than the first are scaled to it. */
  #write(frame: FrameView): void {
    if (this.#isOver) return;
    const { width, height, memory } = this.#picture ??= this.#begin(frame);
    const into = memory.bytes as Uint8Array<ArrayBuffer>;
    frame.toRgba({ size: { width, height }, into });
    this.#encoder!.write(memory.address, 4 * width * height);
    this.#written++;
  }

  #begin(frame: FrameView) {
    const { width, height } = frame.shownSize;
    makeFoldersOf(this.#options.path);
    this.#encoder = new Encoder({
      program: this.#program,
      args: (input) => argumentsFor(this.#options, input, width, height),
    });
    return { width, height, memory: new NativeBlock(4 * width * height) };
  }
}

function argumentsFor(options: VideoOptions, input: string, width: number, height: number): string[] {
  const { path, frameRate = 60, codec, args = [] } = options;
  const quiet = ["-hide_banner", "-nostdin", "-loglevel", "error", "-y"];
  const raw = ["-f", "rawvideo", "-pixel_format", "rgba", "-video_size", `${width}x${height}`];
  const encoding = codec !== undefined ? ["-c:v", codec] : USUAL.test(path) ? FOR_ALL_PLAYERS : [];
  return [...quiet, ...raw, "-framerate", `${frameRate}`, "-i", input, ...encoding, ...args, path];
}

/**
 * A consumer that makes a video of the frames with an `ffmpeg` of this machine.
 * Each frame is written inside the call that queues it, as 8-bit sRGB; when
 * ffmpeg is slower than the producer, the producer waits. Needs `--allow-run`,
 * and `--allow-write` if folders are to be made. At the end:
 *
 * @example
 * ```ts ignore
 * import { videoConsumer } from "@pumice/gfx/wsi";
 *
 * const consumer = videoConsumer({ path: "out/demo.mp4", frameRate: 30 });
 * // … a window with this consumer, and frames drawn into it …
 * await consumer.finish();
 * ```
 */
export function videoConsumer(options: VideoOptions): VideoConsumer {
  return new VideoConsumer(options);
}
