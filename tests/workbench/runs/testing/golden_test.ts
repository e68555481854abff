import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { comparePictures } from "../../../../workbench/runs/testing/compare.ts";
import { differencePicture } from "../../../../workbench/runs/testing/difference_picture.ts";
import { compareWithGolden, type GoldenPlace, readPng, writePng } from "../../../../workbench/runs/testing/golden.ts";
import { updatesGoldens } from "../../../../workbench/runs/testing/places.ts";
import type { Bench } from "../../../../wsi/gpu/bench.ts";
import { makeContext } from "../../../../workbench/runs/testing/context.ts";
import type { TestPicture } from "../../../../workbench/pages/picture.ts";
import { withFolder } from "../../../support/temporary.ts";

/** A picture of one colour. */
function plain(red: number, width = 4, height = 2): TestPicture {
  const data = new Uint8Array(4 * width * height).fill(255);
  for (let at = 0; at < data.length; at += 4) data[at] = red;
  return { width, height, data };
}

/** Pictures are compared without a device. */
const NO_BENCH = { opened: { device: {}, instance: {} }, device: {}, owned: {} } as unknown as Bench;

function placeIn(folder: string, more: Partial<GoldenPlace> = {}): GoldenPlace {
  const owner = { test: "a test", file: "a_test.ts", beside: folder };
  return {
    folder: `${folder}/goldens`,
    output: `${folder}/out`,
    driver: "mine",
    update: false,
    leads: true,
    owner,
    ...more,
  };
}

Deno.test("comparePictures() counts the pixels with a channel that is off by more than is tolerated", () => {
  const picture = fc.uint8Array({ minLength: 24, maxLength: 24 }).map((data) => ({ width: 3, height: 2, data }));
  fc.assert(fc.property(picture, picture, fc.nat(255), (one, other, channel) => {
    const off = Array.from(
      { length: 6 },
      (_, pixel) =>
        [0, 1, 2, 3].some((index) => Math.abs(one.data[4 * pixel + index] - other.data[4 * pixel + index]) > channel),
    );
    const { pixels, first, most } = comparePictures(one, other, { channel });
    assertEquals(pixels, off.filter(Boolean).length);
    assertEquals(first && first.y * 3 + first.x, pixels > 0 ? off.indexOf(true) : undefined);
    assertEquals(most > channel, pixels > 0);
    assertEquals(comparePictures(one, one, { channel: 0 }).pixels, 0);
  }));
});

Deno.test("comparePictures() refuses pictures of different sizes", () => {
  assertThrows(() => comparePictures(plain(1), plain(1, 2, 4)), TypeError, "Cannot compare 4 × 2 with 2 × 4");
});

Deno.test("differencePicture() is red where two differ, redder the more they do, and pale elsewhere", () => {
  const other = plain(0), little = 4 * 1, much = 4 * 7;
  other.data[little + 1] -= 30;
  other.data[much + 1] = 0;
  const { data } = differencePicture(plain(0), other), pixel = (at: number) => [...data.subarray(at, at + 3)];
  assertEquals(pixel(0).filter((value) => value === pixel(0)[0]).length, 3);
  assert(pixel(little)[1] > pixel(much)[1] && pixel(much)[2] === 0 && pixel(much)[0] >= 180);
});

Deno.test("a picture must match its golden file within the tolerance", () =>
  withFolder((folder) => {
    const place = placeIn(folder);
    writePng(`${place.folder}/one.png`, plain(100));
    compareWithGolden(place, "one", plain(102));
    compareWithGolden(place, "one", plain(110), { channel: 10 });
    compareWithGolden(place, "one", plain(110), { pixels: 1 });
    const error = assertThrows(
      () => compareWithGolden(place, "one", plain(103)),
      Error,
      "8 of 8 pixels differ (100.00 %), by up to 3",
    );
    assertStringIncludes(error.message, `${place.output}/one.mine.actual.png`);
    assertEquals(readPng(`${place.output}/one.mine.actual.png`), plain(103));
    assert(Deno.statSync(`${place.output}/one.mine.diff.png`).isFile);
  }));

Deno.test("a driver's own golden file has precedence over the file for all drivers", () =>
  withFolder((folder) => {
    const place = placeIn(folder);
    writePng(`${place.folder}/one.png`, plain(100));
    writePng(`${place.folder}/one.mine.png`, plain(200));
    compareWithGolden(place, "one", plain(200));
    assertThrows(() => compareWithGolden(place, "one", plain(100)));
    compareWithGolden({ ...place, driver: "theirs" }, "one", plain(100));
  }));

Deno.test("without a golden file, or with one of another size, the picture is kept to be looked at", () =>
  withFolder((folder) => {
    const place = placeIn(folder);
    assertThrows(() => compareWithGolden(place, "one", plain(1)), Error, "PUMICE_UPDATE_GOLDENS=1");
    assertEquals(readPng(`${place.output}/one.mine.actual.png`), plain(1));
    writePng(`${place.folder}/one.png`, plain(1, 8, 8));
    assertThrows(() => compareWithGolden(place, "one", plain(1)), Error, "4 × 2 pixels, not 8 × 8");
  }));

Deno.test("PUMICE_UPDATE_GOLDENS writes the first driver's picture for all, and pictures of drivers that do not match it", () =>
  withFolder((folder) => {
    const place = placeIn(folder, { update: true }), second = { ...place, driver: "second", leads: false };
    const files = () => [...Deno.readDirSync(place.folder)].map(({ name }) => name).sort();
    compareWithGolden(place, "one", plain(10));
    compareWithGolden(second, "one", plain(11));
    assertEquals(files(), ["one.png"]);
    compareWithGolden(second, "one", plain(90));
    assertEquals(files(), ["one.png", "one.second.png"]);
    compareWithGolden(place, "one", plain(90));
    compareWithGolden(second, "one", plain(90));
    assertEquals([files(), readPng(`${place.folder}/one.png`)], [["one.png"], plain(90)]);
  }));

Deno.test("a golden file belongs to the test that wrote it, as long as that test's file is there", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/a_test.ts`, "");
    const place = placeIn(folder, { update: true }), { owner } = place;
    compareWithGolden(place, "one", plain(10));
    compareWithGolden(place, "one", plain(30));
    const others = [{ ...owner, test: "a-test ✓" }, { ...owner, file: "b_test.ts" }];
    for (const other of others) {
      for (const update of [true, false]) {
        const again = { ...place, owner: other, update };
        const error = assertThrows(() => compareWithGolden(again, "one", plain(30)), Error, "belongs to the test");
        assertStringIncludes(error.message, `"a test" of a_test.ts, not to "${other.test}" of ${other.file}`);
      }
    }
    assertEquals(readPng(`${place.folder}/one.png`), plain(30));
    Deno.removeSync(`${folder}/a_test.ts`);
    compareWithGolden({ ...place, owner: others[1] }, "one", plain(90));
    assertEquals(readPng(`${place.folder}/one.png`), plain(90));
  }));

Deno.test("only 1 writes golden pictures anew, and other values of the variable are refused", () => {
  const before = Deno.env.get("PUMICE_UPDATE_GOLDENS");
  try {
    for (const [value, updates] of [["", false], ["1", true]] as const) {
      Deno.env.set("PUMICE_UPDATE_GOLDENS", value);
      assertEquals(updatesGoldens(), updates);
    }
    for (const value of ["0", "false", "yes", "2"]) {
      Deno.env.set("PUMICE_UPDATE_GOLDENS", value);
      assertThrows(() => updatesGoldens(), TypeError, `PUMICE_UPDATE_GOLDENS is "${value}"; give 1`);
    }
  } finally {
    if (before === undefined) Deno.env.delete("PUMICE_UPDATE_GOLDENS");
    else Deno.env.set("PUMICE_UPDATE_GOLDENS", before);
  }
});

Deno.test("a test cannot have two golden pictures of one name", () =>
  withFolder((folder) => {
    const place = placeIn(folder, { update: true });
    const { golden } = makeContext(NO_BENCH, place, "a b");
    golden(plain(1));
    golden(plain(30), { name: "other" });
    const twice = 'The test "a b" has two golden pictures of the name "a-b"; give each a name';
    assertThrows(() => golden(plain(60)), TypeError, twice);
    assertThrows(() => golden(plain(60), { name: "other" }), TypeError, 'of the name "other"');
    assertEquals(readPng(`${place.folder}/a-b.png`), plain(1));
  }));
