import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { isFile } from "../../../../ffi/library/library.ts";
import { comparePictures, differencePicture, type TestPicture } from "../../../../workbench/runs/testing/compare.ts";
import { compareWithGolden, type GoldenPlace, readPng, writePng } from "../../../../workbench/runs/testing/golden.ts";
import { updatesGoldens } from "../../../../workbench/runs/testing/places.ts";
import type { Bench } from "../../../../wsi/gpu/bench.ts";
import { makeContext } from "../../../../workbench/runs/testing/context.ts";
import { count } from "../../../support/counts.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";

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

/** Two processes that write goldens of the same names in step, for these tests: for each process the errors by name. */
async function writeTogether(folder: string, tests: readonly [string, string], names: number) {
  const program = new URL("programs/write_goldens.ts", import.meta.url).pathname;
  const map = new URL("../../../../tools/offline_import_map.json", import.meta.url).pathname;
  const processes = tests.map((test, at) => {
    const args = [
      "run",
      "-A",
      "--no-check",
      `--import-map=${map}`,
      program,
      folder,
      test,
      `${100 + 100 * at}`,
      `${names}`,
    ];
    return new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" }).spawn();
  });
  const said = processes.map(({ stdout }) => lines(stdout)), ask = processes.map(({ stdin }) => stdin.getWriter());
  for (let name = 0; name < names; name++) {
    for (const each of said) assertEquals((await each.next()).value, "ready");
    await Promise.all(ask.map((each) => each.write(new Uint8Array(1))));
  }
  const told = await Promise.all(said.map(async (each) => JSON.parse((await each.next()).value!) as (string | null)[]));
  for (const each of said) await each.return();
  for (const each of ask) await each.close().catch(() => {}); // the process may have ended
  await Promise.all(processes.map(({ status }) => status));
  return told;
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const all = (rest + text).split("\n");
    rest = all.pop()!;
    yield* all;
  }
}

Deno.test("of two processes that write a new golden file at one moment, one is told, and the file is whole", () =>
  withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/a_test.ts`, "");
    const names = count(40, 40, 400); // two processes meet at most of them
    const [one, other] = await writeTogether(folder, ["a b", "a-b"], names);
    for (let name = 0; name < names; name++) {
      const errors = [one[name], other[name]], winner = errors.indexOf(null);
      assertEquals(errors.filter((each) => each === null).length, 1, `${name}: ${errors}`);
      assertStringIncludes(errors[1 - winner]!, `belongs to the test "${["a b", "a-b"][winner]}" of a_test.ts, not to`);
      assertEquals(readPng(`${folder}/goldens/${name}.png`).data, new Uint8Array(4 * 64 * 64).fill(100 + 100 * winner));
    }
    assertEquals([...Deno.readDirSync(`${folder}/goldens`)].length, names, "other files are left");
  }));

Deno.test("of two runs of one test that write a new golden file at one moment, one is told if the pictures differ", () =>
  withFolder((folder) => {
    const place = placeIn(folder, { update: true }), path = `${place.folder}/one.png`;
    for (
      const [red, told] of [[31, undefined], [
        90,
        "at this moment, with another picture (8 of 8 pixels differ",
      ]] as const
    ) {
      const { data, ...size } = plain(30);
      const late = {
        ...size,
        /** The other run writes its file while this one's picture becomes a PNG. */
        get data() {
          if (!isFile(path)) compareWithGolden(place, "one", plain(red));
          return data;
        },
      };
      if (told) assertThrows(() => compareWithGolden(place, "one", late), Error, told);
      else compareWithGolden(place, "one", late);
      assertEquals(readPng(path), plain(red));
      Deno.removeSync(path);
    }
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
