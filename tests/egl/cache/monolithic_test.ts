import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeCacheFile, MONOLITHIC_LIMITS, MonolithicCache } from "../../../egl/cache/monolithic.ts";
import { deviceIn, withFolder, withFolderAsync } from "../../support/temporary.ts";
import { counts, filled, held, keyOf, modeOf, namesIn } from "./bytes.ts";

const BUILD = "B1", KEY = keyOf(0);
const memory = (limits = MONOLITHIC_LIMITS) => new MonolithicCache({ path: "", buildId: BUILD, limits });
const LITTLE = { key: 10, value: 60, total: 100, entries: Infinity };

Deno.test("MonolithicCache has Android's limits", () => {
  assertEquals(MONOLITHIC_LIMITS, { key: 12288, value: 65536, total: 2097152, entries: Infinity });
});

Deno.test("MonolithicCache refuses entries that are too large or empty", () => {
  using cache = memory({ ...LITTLE, total: 60 });
  cache.set(filled(11), filled(1));
  cache.set(filled(1), filled(61));
  cache.set(filled(10), filled(51));
  cache.set(filled(0), filled(1));
  cache.set(filled(1), filled(0));
  assertEquals([cache.entries, cache.bytes], [0, 0]);
  cache.set(filled(10), filled(50));
  assertEquals([cache.entries, cache.bytes], [1, 60]);
  assertEquals(cache.counts, counts({ rejected: 5, stored: 1 }));
});

Deno.test("MonolithicCache makes room by last use, down to half", () => {
  using cache = memory(LITTLE);
  for (let number = 0; number < 5; number++) cache.set(keyOf(number), filled(17));
  assertEquals([cache.bytes, cache.get(keyOf(0))?.length], [100, 17]);
  cache.set(keyOf(5), filled(17));
  assertEquals([held(cache, 6), cache.bytes], [[0, 4, 5], 60]);
  assertEquals(cache.counts.evicted, 3);
});

Deno.test("MonolithicCache is not emptied for a value while it is at most half full", () => {
  using cache = memory(LITTLE);
  cache.set(keyOf(0), filled(47));
  cache.set(keyOf(1), filled(57));
  assertEquals([held(cache, 2), cache.counts.rejected], [[0], 1]);
});

Deno.test("MonolithicCache replaces a value, and counts the difference", () => {
  using cache = memory(LITTLE);
  cache.set(KEY, filled(10));
  cache.set(KEY, filled(20, 9));
  assertEquals([cache.entries, cache.bytes, cache.get(KEY)], [1, 23, filled(20, 9)]);
});

Deno.test("MonolithicCache keeps its entries for the next process, in a file that only its owner can read", () => {
  withFolder((folder) => {
    const path = `${folder}/cache`;
    {
      using cache = new MonolithicCache({ path, buildId: BUILD });
      cache.set(KEY, filled(9));
    }
    assertEquals([modeOf(path), namesIn(folder)], [0o400, ["cache"]]);
    using next = new MonolithicCache({ path, buildId: BUILD });
    assertEquals([next.get(KEY), next.get(keyOf(1)), next.counts], [
      filled(9),
      undefined,
      counts({ hits: 1, misses: 1 }),
    ]);
    next.set(keyOf(1), filled(3));
    next.save();
    using third = new MonolithicCache({ path, buildId: BUILD });
    assertEquals(held(third, 3), [0, 1]);
  });
});

Deno.test("MonolithicCache writes no file without a change, and reads none before the first use", () => {
  withFolder((folder) => {
    const path = `${folder}/cache`;
    {
      using cache = new MonolithicCache({ path, buildId: BUILD });
      Deno.writeFileSync(path, encodeCacheFile([{ key: KEY, value: filled(2) }], BUILD));
      assertEquals(cache.get(KEY), filled(2));
      Deno.removeSync(path);
    }
    assertEquals(namesIn(folder), []);
  });
});

Deno.test("MonolithicCache saves by itself after four seconds", async () => {
  await withFolderAsync(async (folder) => {
    const later: (() => void)[] = [], real = globalThis.setTimeout;
    globalThis.setTimeout = ((run: () => void, delay: number) => {
      later.push(run);
      assertEquals(delay, 4000);
      return real(() => {}, 0);
    }) as typeof setTimeout;
    try {
      using cache = new MonolithicCache({ path: `${folder}/cache`, buildId: BUILD });
      cache.set(KEY, filled(9));
      cache.set(keyOf(1), filled(9));
      assertEquals([later.length, namesIn(folder)], [1, []]);
      later[0]();
      assertEquals(namesIn(folder), ["cache"]);
    } finally {
      globalThis.setTimeout = real;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
});

/** Returns a cache's words about a file that it replaces once one value is put in. */
function replaced(write: (path: string) => void, buildId = BUILD): string[] {
  return withFolder((folder) => {
    const path = `${folder}/cache`, said: string[] = [];
    write(path);
    {
      using cache = new MonolithicCache({ path, buildId, say: (text) => said.push(text) });
      assertEquals([cache.get(KEY), cache.entries], [undefined, 0]);
      cache.set(keyOf(1), filled(1));
    }
    using next = new MonolithicCache({ path, buildId, say: (text) => said.push(text) });
    assertEquals([held(next, 2), namesIn(folder)], [[1], ["cache"]]);
    return said;
  });
}

Deno.test("MonolithicCache replaces a file it does not trust", () => {
  const whole = encodeCacheFile([{ key: KEY, value: filled(9) }], BUILD);
  assertEquals(replaced(() => {}), []);
  assertStringIncludes(replaced((path) => Deno.writeFileSync(path, whole), "B2")[0], "another build");
  assertStringIncludes(replaced((path) => Deno.writeFileSync(path, whole.subarray(0, 50)))[0], "checksum");
  assertStringIncludes(replaced((path) => Deno.writeTextFileSync(path, ""))[0], "it is no EGL cache");
  const huge = filled(2 * MONOLITHIC_LIMITS.total + 1);
  huge.set(whole.subarray(0, 4));
  assertStringIncludes(replaced((path) => Deno.writeFileSync(path, huge))[0], "more than 4194304");
});

Deno.test("MonolithicCache replaces no file that is not its own, and no link, pipe or device, and says so", () => {
  const whole = encodeCacheFile([{ key: KEY, value: filled(9) }], BUILD);
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/notes`, "hello, world");
    Deno.writeFileSync(`${folder}/target`, whole);
    Deno.symlinkSync(`${folder}/target`, `${folder}/link`);
    new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
    const kinds = (path: string) => {
      const { isFile, isSymlink, isFifo, isCharDevice } = Deno.lstatSync(path);
      return { isFile, isSymlink, isFifo, isCharDevice };
    };
    const device = deviceIn(folder), before = namesIn(folder);
    const rows = [["notes", "it is no EGL cache"], ["link", "it is a link"], ["pipe", "it is a pipe"]];
    for (
      const [path, reason] of [...rows.map(([name, reason]) => [`${folder}/${name}`, reason]), [device, "device"]]
    ) {
      const said: string[] = [], kind = kinds(path);
      const cache = new MonolithicCache({ path, buildId: BUILD, say: (text) => said.push(text) });
      cache.set(keyOf(1), filled(1));
      cache.close();
      assertEquals(kinds(path), kind);
      assertStringIncludes(said.at(-1)!, "what is cached is lost");
      assertStringIncludes(said.at(-1)!, reason);
    }
    assertEquals(Deno.readTextFileSync(`${folder}/notes`), "hello, world");
    assertEquals(Deno.readFileSync(`${folder}/target`), whole);
    assertEquals(namesIn(folder), before);
  });
});

Deno.test("MonolithicCache works in memory if its file cannot be used, and says so", () => {
  withFolder((folder) => {
    const said: string[] = [], say = (text: string) => said.push(text);
    {
      using cache = new MonolithicCache({ path: folder, buildId: BUILD, say });
      cache.set(KEY, filled(9));
      assertEquals(cache.get(KEY), filled(9));
    }
    const lost = new MonolithicCache({ path: `${folder}/no/such`, buildId: BUILD, say });
    lost.set(KEY, filled(1));
    lost.close();
    assertStringIncludes(said[0], "it is no regular file");
    assertStringIncludes(said[1], "Cannot save the EGL cache");
    assertEquals(namesIn(folder), []);
  });
});

Deno.test("MonolithicCache is empty once it is closed", () => {
  const cache = memory();
  cache.set(KEY, filled(9));
  cache.close();
  cache.close();
  cache.set(KEY, filled(9));
  assertEquals([cache.get(KEY), cache.entries], [undefined, 0]);
});
