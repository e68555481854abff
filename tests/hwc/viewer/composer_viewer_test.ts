import { assert, assertEquals, assertRejects } from "@std/assert";
import { decode } from "fast-png";
import { openBlocks } from "../../../ffi/block.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { composerViewer } from "../../../hwc/viewer/composer_viewer.ts";
import type { News } from "../../../hwc/viewer/requests.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { WsiError } from "../../../wsi/error.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { PageClient } from "../../wsi/web/page_client.ts";
import { draw } from "../flinger/stage.ts";
import { GREEN, HEIGHT, ViewedStage, WIDTH } from "./stage.ts";
import { until } from "../../support/until.ts";

/** A page's side of the conversation about news. */
class Listener {
  constructor(readonly page: PageClient) {}

  static async to(stage: ViewedStage): Promise<Listener> {
    return new Listener(await PageClient.connect(stage.viewer.url));
  }

  /** The next news, taken in. */
  async hear(): Promise<News> {
    const { news } = await this.page.next("news");
    this.page.tell({ type: "heard" });
    return news as News;
  }

  /** News in which something is so, and not before. */
  async until(isSo: (news: News) => boolean): Promise<News> {
    for (;;) {
      const news = await this.hear();
      if (isSo(news)) return news;
    }
  }

  ask(request: unknown): void {
    this.page.tell({ type: "ask", request });
  }
}

const shown = ({ displays: [first] }: News) => first.counts.shown;

Deno.test("composerViewer() tells a page that listens slowly the newest, and keeps nothing for it", async () => {
  await using stage = new ViewedStage();
  const [wallpaper] = stage.threeLayers();
  stage.vsyncs(2);
  const listener = await Listener.to(stage);
  await using page = listener.page;
  const { news } = await page.next("news"), first = await page.next("frame");
  assertEquals([shown(news as News), first.width, first.height], [1, WIDTH, HEIGHT]);
  for (let frame = 0; frame < 50; frame++) {
    draw(wallpaper.window!, [frame, 0, 0, 255]);
    stage.vsyncs();
    await Promise.resolve(); // the viewer tells when a frame's work is done
  }
  page.ack();
  const next = await page.show();
  assertEquals([next.number > 1, next.dropped > 40, page.waiting], [true, true, 0]);
  page.tell({ type: "heard" });
  const { displays: [display] } = await listener.hear();
  assertEquals(display.counts.shown, 50);
  assertEquals(display.frames.length, 50);
  assertEquals(display.frames.at(-1)!.acquired.map(({ layer }) => layer), ["wallpaper"]);
});

Deno.test("composerViewer() does what pages ask for, and what makes no sense does nothing", async () => {
  await using stage = new ViewedStage();
  stage.threeLayers();
  stage.vsyncs(2);
  const listener = await Listener.to(stage);
  await using _page = listener.page;
  const before = await listener.hear(), { displays: [{ layers, planes }], strategies, models, panels } = before;
  assertEquals([before.isPaused, strategies.length, models.length, panels], [true, 3, 4, ["Monitor"]]);
  assertEquals(layers.map(({ name, plane, composition }) => [name, plane, composition]), [
    ["bar", "overlay2", "DEVICE"],
    ["app", "overlay1", "DEVICE"],
    ["wallpaper", "overlay0", "DEVICE"],
  ]);
  assertEquals(planes.map(({ shows }) => shows), ["wallpaper", "app", "bar", null]);
  const nonsense = [
    ...[null, 7, "pause", [], {}, { do: "explode" }, { do: "hide" }, { do: "hide", layer: "app" }],
    ...[{ do: "hide", layer: -1 }, { do: "plug", panel: 9 }, { do: "plug" }, { do: "unplug", display: 0 }],
    ...[{ do: "unplug", display: 77 }, { do: "strategy", display: 0, name: "magic" }, { do: "planes", display: 0 }],
    ...[{ do: "planes", display: 0, name: "__proto__" }, { do: "strategy", display: 5, name: "client-only" }],
  ];
  for (const request of nonsense) listener.ask(request);
  listener.ask({ do: "hide", layer: layers[1].id });
  await listener.until(({ displays: [{ layers }] }) => layers[1].isHidden); // a switch stays as it was put
  assertEquals(stage.flinger.layers[1].state.isHidden, false);
  listener.ask({ do: "step" });
  listener.ask({ do: "step" });
  const after = await listener.until((news) => shown(news) === 2);
  assertEquals(after.displays.length, 1);
  assertEquals(stage.flinger.layers.map(({ name, state }) => [name, state.isHidden]), [
    ["wallpaper", false],
    ["app", true],
    ["bar", false],
  ]);
});

Deno.test("composerViewer() puts no picture together while nobody looks, and snapshot() gives what is on a panel", async () => {
  let captures = 0;
  await using stage = new ViewedStage();
  const { composer } = stage, { capture } = composer;
  composer.capture = (...given) => {
    captures++;
    capture(...given);
  };
  await assertRejects(() => stage.viewer.snapshot(), WsiError, "no frame");
  stage.threeLayers();
  stage.vsyncs(2);
  await Promise.resolve();
  assertEquals(captures, 0);
  const { data, width, height } = decode(await stage.viewer.snapshot());
  assertEquals([captures, width, height], [1, WIDTH, HEIGHT]);
  assertEquals([...new Uint32Array(Uint8Array.from(data).buffer)], stage.screen());
  await assertRejects(() => stage.viewer.snapshot(3), RangeError, "no display 3");
});

Deno.test("composerViewer() answers to nobody but its own page and programs of this machine", async () => {
  await using stage = new ViewedStage();
  const { url } = stage.viewer, from = (origin: string) => fetch(url, { headers: { origin } });
  const foreign = await from("http://elsewhere.example");
  assertEquals(foreign.status, 403);
  await foreign.body?.cancel();
  const page = await fetch(url);
  assert(page.headers.get("content-security-policy")?.includes("default-src 'none'"));
  const html = await page.text();
  for (const [, path] of html.matchAll(/(?:src|href)="([^":]+)"/g)) {
    const file = await fetch(new URL(path, url));
    assertEquals([path, file.status], [path, 200]);
    for (const [, name] of (await file.text()).matchAll(/^import .* from "(.+)";$/gm)) {
      const module = await fetch(new URL(name, new URL(path, url)));
      assertEquals([name, module.status], [name, 200]);
      await module.body?.cancel();
    }
  }
  assert(!/https?:\/\//.test(html), "the page names another server");
});

Deno.test("composerViewer() leaves nothing open, after pages, plugs and a flinger that ends first", async () => {
  const run = async () => {
    using composer = createReferenceComposer();
    const flinger = new SurfaceFlinger({ composer });
    const viewer = composerViewer({ composer, flinger });
    const page = await PageClient.connect(viewer.url);
    flinger.createLayer({ name: "sky", color: { r: 0, g: 0, b: 1, a: 1 }, size: { width: 99, height: 99 } });
    await page.next("frame");
    for (let times = 0; times < 3; times++) {
      composer.unplug(composer.plug({ modes: [{ width: 64, height: 64, refreshRate: 60 }] }));
    }
    page.tell({ type: "heard" });
    await page.next("news");
    page.tell({ type: "ask", request: { do: "pause" } }); // this composer's time cannot be stopped
    flinger.close();
    await until("no display is left", () => flinger.displays.length === 0);
    await page[Symbol.asyncDispose]();
    await viewer.close();
    await viewer.close();
  };
  await run();
  const open = () => [openFiles(), openBlocks(), openBuffers(), mappings("gralloc")], before = open();
  await run();
  assertEquals(open(), before, "files, blocks, buffers and mappings");
});

Deno.test("a viewer's window is forgotten with its display, however often one is plugged", async () => {
  await using stage = new ViewedStage();
  stage.layer("only", [WIDTH, HEIGHT], GREEN);
  stage.vsyncs(2);
  const listener = await Listener.to(stage);
  await using _page = listener.page;
  await listener.hear();
  for (let times = 0; times < 5; times++) {
    listener.ask({ do: "plug", panel: 0 });
    const { displays } = await listener.until(({ displays }) => displays.length === 2);
    listener.ask({ do: "unplug", display: displays[1].number });
    await listener.until(({ displays }) => displays.length === 1);
  }
  await using other = await PageClient.connect(stage.viewer.url);
  assertEquals((await other.next("hello")).windows.map(({ name }) => name), ["display 0"]);
});

Deno.test("composerViewer() shows a cursor move over a scene that rests", async () => {
  await using stage = new ViewedStage({ planes: eightPlane() });
  stage.threeLayers();
  const cursor = stage.layer("cursor", [8, 8], [255, 255, 255, 255], { z: 9, isCursor: true });
  stage.vsyncs(2);
  await using page = await PageClient.connect(stage.viewer.url);
  const before = await page.show();
  cursor.moveCursor(50, 40);
  stage.vsyncs();
  const after = await page.show(), word = (at: number) => new DataView(after.pixels.buffer).getUint32(at, true);
  assertEquals([after.width, stage.composer.statistics(stage.flinger.displays[0].handle!).shown], [before.width, 1]);
  assertEquals(word(4 * (41 * after.stride + 51)), 0xffffffff);
});
