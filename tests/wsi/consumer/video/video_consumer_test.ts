import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { ffmpegPath } from "../../../../tools/setup/parts.ts";
import { videoConsumer } from "../../../../wsi/consumer/video/video_consumer.ts";
import { WsiError } from "../../../../wsi/error.ts";
import { openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { bufferOf, FakeSource, paint } from "../fake_source.ts";

const ffmpeg = needs("ffmpeg", ffmpegPath());

/** The frames of a video, decoded: RGBA, one after the other. */
async function decoded(path: string): Promise<Uint8Array> {
  const args = ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-"];
  const { success, stdout } = await new Deno.Command(ffmpegPath()!, { args }).output();
  assert(success);
  return stdout;
}

Deno.test(
  "videoConsumer() keeps every bit of every frame with a lossless codec",
  ffmpeg,
  () =>
    withFolderAsync(async (folder) => {
      const path = `${folder}/a/b/frames.mkv`, consumer = videoConsumer({ path, codec: "ffv1", frameRate: 24 });
      using source = new FakeSource(consumer);
      using buffer = bufferOf(1, 33, 17, 48);
      const color = (frame: number) => (x: number, y: number) =>
        ((200 + y) << 24 | (7 * frame) << 16 | (9 * y) << 8 | 5 * x) >>> 0;
      for (let frame = 0; frame < 9; frame++) source.queue(paint(buffer, color(frame)));
      await consumer.finish();
      assertEquals([consumer.written, source.released.length], [9, 9]);
      const words = new Uint32Array((await decoded(path)).buffer), expected: number[] = [];
      for (let at = 0; at < 9 * 33 * 17; at++) {
        expected.push(color(Math.floor(at / 33 / 17))(at % 33, Math.floor(at / 33) % 17));
      }
      assertEquals([...words], expected);
    }),
);

Deno.test(
  "videoConsumer() makes files for every player, of frames that change their size",
  ffmpeg,
  () =>
    withFolderAsync(async (folder) => {
      const path = `${folder}/frames.mp4`, consumer = videoConsumer({ path });
      using source = new FakeSource(consumer);
      using buffer = paint(bufferOf(1, 63, 35), () => 0xff0000ff), other = paint(bufferOf(5, 20, 10), () => 0xff0000ff);
      source.queue(buffer);
      source.queue(other); // BGRA: blue
      source.queue(other);
      await consumer.finish();
      const frames = await decoded(path), size = 4 * 64 * 36; // even now
      assertEquals(frames.length, 3 * size);
      const middle = (frame: number) => [...frames.subarray(frame * size + 4 * (64 * 18 + 30)).subarray(0, 3)];
      const near = (found: number[], wanted: number[]) => found.every((level, at) => Math.abs(level - wanted[at]) < 12);
      assert(near(middle(0), [255, 0, 0]) && near(middle(1), [0, 0, 255]) && near(middle(2), [0, 0, 255]));
    }),
);

Deno.test(
  "videoConsumer() writes more than a pipe holds while the event loop stands still",
  ffmpeg,
  () =>
    withFolderAsync(async (folder) => {
      const path = `${folder}/frames.mkv`, consumer = videoConsumer({ path, codec: "rawvideo" });
      using source = new FakeSource(consumer);
      using buffer = paint(bufferOf(1, 640, 480), (x, y) => (0xff000000 | x * y) >>> 0);
      for (let frame = 0; frame < 10; frame++) source.queue(buffer); // 12 MB
      await consumer.finish();
      const frames = await decoded(path);
      assertEquals(frames.length, 10 * 4 * 640 * 480);
      assertEquals([...frames.subarray(-4)], [479 * 639 & 255, 479 * 639 >> 8 & 255, 479 * 639 >> 16, 255]);
    }),
);

Deno.test("videoConsumer() leaves nothing behind", ffmpeg, () =>
  withFolderAsync(async (folder) => {
    const run = async (index: number) => {
      const consumer = videoConsumer({ path: `${folder}/${index}.mkv`, codec: "ffv1" });
      using source = new FakeSource(consumer);
      using buffer = bufferOf(1, 700, 500);
      source.queue(buffer);
      source.queue(buffer);
      source.close();
      await consumer.finish();
      await consumer.finish();
      return [openFiles(), openBlocks()];
    };
    await run(0);
    const before = await run(1);
    assertEquals(await run(2), before);
  }));

Deno.test("videoConsumer() reports ffmpeg's errors", ffmpeg, () =>
  withFolderAsync(async (folder) => {
    const consumer = videoConsumer({ path: `${folder}/frames.mkv`, codec: "nonsense" });
    using source = new FakeSource(consumer);
    using buffer = bufferOf(1, 640, 480);
    const error = assertThrows(
      () => {
        for (let frame = 0; frame < 9; frame++) source.queue(buffer);
      },
      WsiError,
      '"ffmpeg" failed, it ended too early',
    );
    assertEquals([error.code, consumer.held, source.released.length], ["encoder-failed", 0, consumer.shown]);
    await assertRejects(() => consumer.finish(), WsiError, "its exit code is 1 and says: Unknown encoder 'nonsense'");
  }));

/** A program that answers to -version as ffmpeg does, and else does what a line of shell says; `$in` is its input. */
async function program(folder: string, line: string): Promise<string> {
  const path = `${folder}/program`;
  const find = 'while [ "$1" != -i ]; do shift; done; in=$2';
  await Deno.writeTextFile(path, `#!/bin/sh\n[ "$1" = -version ] && exit 0\n${find}\n${line}\n`, { mode: 0o755 });
  return path;
}

Deno.test("videoConsumer() notices an encoder that ends in the middle, and keeps its last line", () =>
  withFolderAsync(async (folder) => {
    const line = 'head -c 3000000 "$in" > /dev/null; echo one >&2; echo no space left >&2; exit 3';
    const consumer = videoConsumer({ path: `${folder}/x.mkv`, ffmpeg: await program(folder, line) });
    using source = new FakeSource(consumer);
    using buffer = bufferOf(1, 640, 480);
    assertThrows(
      () => {
        for (let frame = 0; frame < 9; frame++) source.queue(buffer);
      },
      WsiError,
      "it ended too early",
    );
    await assertRejects(() => consumer.finish(), WsiError, "its exit code is 3 and says: no space left");
  }));

Deno.test("videoConsumer() says when there is no ffmpeg", () =>
  withFolderAsync(async (folder) => {
    const missing = assertThrows(
      () => new FakeSource(videoConsumer({ path: "x.mp4", ffmpeg: `${folder}/none` })),
      WsiError,
      `"${folder}/none" cannot be run: `,
    );
    assertEquals(missing.code, "encoder-failed");
    await Deno.writeTextFile(`${folder}/other`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const other = videoConsumer({ path: "x.mp4", ffmpeg: `${folder}/other` });
    assertThrows(() => new FakeSource(other), WsiError, "it does not answer to -version; install ffmpeg, or name it");
    await other.finish(); // no frame came: nothing to wait for
  }));

Deno.test("videoConsumer() refuses no path and impossible rates", () => {
  assertThrows(() => videoConsumer({ path: "" }), TypeError, "Cannot write a video nowhere");
  assertThrows(() => videoConsumer({ path: "x.mp4", frameRate: 0 }), RangeError, "Cannot show 0 frames a second");
});
