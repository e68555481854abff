import { assert, assertEquals } from "@std/assert";
import { assertCounted, type Own } from "./counted.ts";
import { DRIVERS, LAYERS, NEEDS_WINDOW, PLACES, reported, runLayered } from "./layers.ts";
import { changedArea, countOf, type Pictures, readPictures } from "./pictures.ts";
import type { Counts } from "./programs/counter.ts";
import { withWindows } from "./windows.ts";

const FRAMES = 3;
/** The TypeScript layer's counts: the rock is made once, before the first frame, and each frame is copied by a submission of its own. */
const COUNTED = {
  vkCreateImage: 5,
  vkMapMemory: 6,
  vkCmdDraw: FRAMES,
  vkCmdDrawIndexed: 3 * FRAMES,
  vkCmdDispatch: 2 * FRAMES + 1,
  vkQueueSubmit: 2 * FRAMES + 1,
};

/** Sizes of windows: one for a layer that works on all pixels alike, and one with room for what a layer draws over a part. */
const SMALL = "96x54", WITH_ROOM = "320x180";

/** Shows the demo in a window, with native layers and a TypeScript layer at a place of the chain. */
function shown(
  size: string,
  place: string,
  layers: readonly string[],
  env: Record<string, string>,
  folder: string,
): Pictures & { counts: Counts } {
  const args = [DRIVERS.lavapipe.driver, folder, size, `${FRAMES}`, place, ...layers];
  const counts: Counts = reported(runLayered("window", args, folder, env));
  return { counts, ...readPictures(folder) };
}

/** The calls for each frame of the layers that draw over a picture. */
const DRAWING_OVER: Own = { vkCreateImage: 1, vkMapMemory: 1, vkCmdDrawIndexed: FRAMES, vkQueueSubmit: FRAMES };
/** vkBasalt draws with the same commands again and again. */
const REWORKING: Own = { vkCreateImage: 1, vkMapMemory: 1, vkCmdDraw: 1, vkQueueSubmit: FRAMES };

/** A layer, how it is set up, and what a TypeScript layer below it sees it do. */
interface Shown {
  readonly layer: { readonly layer: string; readonly ignore: boolean };
  readonly own: Own;
  readonly size: string;
  readonly settings: (folder: string) => Record<string, string>;
}

/** Registers a test of a layer that draws or changes what is presented, for each place of a TypeScript layer. */
function testShown(
  title: string,
  { layer: { layer, ignore }, own, size, settings }: Shown,
  check: (pictures: Pictures, folder: string) => void,
): void {
  for (const place of PLACES) {
    Deno.test(
      `${title}, a TypeScript layer ${place} it`,
      { ignore: ignore || NEEDS_WINDOW },
      () =>
        withWindows((folder, DISPLAY) => {
          const { counts, ...pictures } = shown(size, place, [layer], { DISPLAY, ...settings(folder) }, folder);
          assertCounted(counts, COUNTED, place === "below" ? own : {}, place);
          check(pictures, folder);
        }),
    );
  }
}

Deno.test("a window shows what was drawn, pixel by pixel, when no native layer is there", {
  ignore: NEEDS_WINDOW,
}, () =>
  withWindows((folder, DISPLAY) => {
    const { counts, ...pictures } = shown(SMALL, "above", [], { DISPLAY }, folder);
    assertEquals([counts, changedArea(pictures)], [COUNTED, undefined]);
    assert(new Set(pictures.shown.data).size > 200, "the picture is too plain to tell");
  }));

testShown(
  "Mesa's overlay draws its window and counts the commands of the demo",
  {
    layer: LAYERS.overlay,
    own: DRAWING_OVER,
    size: WITH_ROOM,
    settings: (folder) => ({
      VK_LAYER_MESA_OVERLAY_CONFIG:
        "position=bottom-right,width=150,height=90,fps_sampling_period=1,frame,submit,draw," +
        `draw_indexed,dispatch,output_file=${folder}/counts.csv`,
    }),
  },
  (pictures, folder) => {
    const [left, top, right, bottom] = changedArea(pictures)!;
    assert(left >= 100 && right > 300 && bottom > 160 && (right - left) > 100, `${[left, top, right, bottom]}`);
    const [titles, ...rows] = Deno.readTextFileSync(`${folder}/counts.csv`).trim().split("\n")
      .map((row) => row.split(", "));
    const sum = (title: string) => rows.reduce((all, row) => all + Number(row[titles.indexOf(title)]), 0);
    assertEquals(["frame", "submit", "draw", "draw_indexed", "dispatch"].map(sum), [
      FRAMES,
      COUNTED.vkQueueSubmit,
      COUNTED.vkCmdDraw,
      COUNTED.vkCmdDrawIndexed,
      COUNTED.vkCmdDispatch,
    ]);
  },
);

testShown(
  "MangoHud shows its figures and the words it is told to, in the corner it is told to",
  {
    layer: LAYERS.MangoHud,
    own: DRAWING_OVER,
    size: WITH_ROOM,
    settings: () => ({
      MANGOHUD_CONFIG: "legacy_layout=0,position=bottom-right,width=120,font_size=16,fps,engine_color=00FF00," +
        "custom_text=Pumice",
    }),
  },
  (pictures) => {
    const [left, top, right, bottom] = changedArea(pictures)!, green = [0, 255, 0];
    assert(left >= 180 && top >= 100 && right > 300 && bottom > 160, `${[left, top, right, bottom]}`);
    assertEquals(countOf(pictures.drawn, green), 0);
    assert(countOf(pictures.shown, green) > 20, "the engine's name is not written in its colour");
  },
);

testShown(
  "vkBasalt turns every colour into what its table says",
  {
    layer: LAYERS.vkBasalt,
    own: REWORKING,
    size: SMALL,
    settings: (folder) => {
      Deno.writeTextFileSync(`${folder}/inverting.CUBE`, invertingTable());
      Deno.writeTextFileSync(`${folder}/vkBasalt.conf`, `effects = lut\nlutFile = "${folder}/inverting.CUBE"\n`);
      return { VKBASALT_CONFIG_FILE: `${folder}/vkBasalt.conf` };
    },
  },
  ({ drawn, shown }) => {
    assertEquals(shown.data, drawn.data.map((value, index) => index % 4 === 3 ? value : 255 - value));
  },
);

/** A table of colours, two steps each way, that makes black white: red changes first. */
function invertingTable(): string {
  const corners = Array.from({ length: 8 }, (_, index) => [index & 1, index >> 1 & 1, index >> 2]);
  return ["LUT_3D_SIZE 2", ...corners.map((corner) => corner.map((value) => `${1 - value}.0`).join(" "))].join("\n");
}
