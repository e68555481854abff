import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { entryHash } from "../../../egl/cache/checksum.ts";
import { MULTIFILE_LIMITS, MultifileCache, type MultifileOptions } from "../../../egl/cache/multifile.ts";
import { encodeEntry, encodeStatus } from "../../../egl/cache/multifile_folder.ts";
import { withFolder } from "../../support/temporary.ts";
import { counts, filled, held, keyOf, modeOf, namesIn } from "./bytes.ts";

const KEY = keyOf(0), NAME = `${entryHash(KEY)}`, STATUS = "cache.status";

/** Uses a cache in `folder`/c, and closes it. */
function use<T>(folder: string, run: (cache: MultifileCache) => T, options: Partial<MultifileOptions> = {}): T {
  using cache = new MultifileCache({ folder: `${folder}/c`, buildId: "B1", ...options });
  return run(cache);
}

const LITTLE = { key: 10, value: 100, total: 200, entries: 6 };

Deno.test("MultifileCache has Android's limits", () => {
  assertEquals(MULTIFILE_LIMITS, { key: 1048576, value: 8388608, total: 33554432, entries: 4096 });
});

Deno.test("MultifileCache has a file for each entry and a status, which only their owner can read", () => {
  withFolder((folder) => {
    use(folder, (cache) => {
      cache.set(KEY, filled(9));
      assertEquals(namesIn(`${folder}/c`), [NAME, STATUS].sort());
      assertEquals([cache.entries, cache.bytes], [1, 24 + 3 + 9]);
    });
    assertEquals([modeOf(`${folder}/c`), modeOf(`${folder}/c/${NAME}`), modeOf(`${folder}/c/${STATUS}`)], [
      0o755 & ~Deno.umask(),
      0o600,
      0o600,
    ]);
    assertEquals(Deno.readFileSync(`${folder}/c/${NAME}`), encodeEntry({ key: KEY, value: filled(9) }));
    assertEquals(Deno.readFileSync(`${folder}/c/${STATUS}`), encodeStatus(1, "B1"));
  });
});

Deno.test("MultifileCache keeps its entries for the next process", () => {
  withFolder((folder) => {
    use(folder, (cache) => [1, 2].forEach((number) => cache.set(keyOf(number), filled(number))));
    use(folder, (cache) => {
      assertEquals([cache.entries, held(cache, 4), cache.counts], [2, [1, 2], counts({ hits: 2, misses: 2 })]);
      assertEquals(cache.get(keyOf(2)), filled(2));
    });
  });
});

Deno.test("MultifileCache accepts empty entries, and refuses entries that are too large", () => {
  withFolder((folder) =>
    use(folder, (cache) => {
      cache.set(filled(11), filled(1));
      cache.set(filled(1), filled(101));
      cache.set(filled(0), filled(0));
      assertEquals([cache.get(filled(0)), cache.counts], [filled(0), counts({ rejected: 2, stored: 1, hits: 1 })]);
    }, { limits: LITTLE })
  );
});

Deno.test("MultifileCache makes room by last use, for bytes and for entries, and removes the files", () => {
  withFolder((folder) => {
    use(folder, (cache) => {
      for (let number = 0; number < 4; number++) cache.set(keyOf(number), filled(23));
      cache.get(keyOf(0));
      cache.set(keyOf(4), filled(23));
      assertEquals([held(cache, 5), cache.bytes, namesIn(`${folder}/c`).length], [[0, 3, 4], 150, 4]);
    }, { limits: LITTLE });
    use(folder, (cache) => {
      for (let number = 10; number < 14; number++) cache.set(keyOf(number), filled(0));
      assertEquals([cache.entries, held(cache, 20)], [4, [10, 11, 12, 13]]);
    }, { limits: { ...LITTLE, total: 10000 } });
  });
});

Deno.test("MultifileCache remembers across processes what was used last", () => {
  withFolder((folder) => {
    const time = (number: number, at: number) => Deno.utimeSync(`${folder}/c/${entryHash(keyOf(number))}`, at, at);
    use(folder, (cache) => [0, 1, 2, 3].forEach((number) => cache.set(keyOf(number), filled(23))));
    [0, 1, 2, 3].forEach((number) => time(number, 1000 - number));
    use(folder, (cache) => cache.get(keyOf(2)));
    use(folder, (cache) => {
      cache.set(keyOf(4), filled(23));
      assertEquals(held(cache, 5), [0, 2, 4]);
    }, { limits: LITTLE });
  });
});

Deno.test("MultifileCache starts empty for another build, another version, or an invalid status", () => {
  withFolder((folder) => {
    const said: string[] = [], say = (text: string) => said.push(text);
    const fill = () => use(folder, (cache) => cache.set(KEY, filled(9)));
    const lost = (options: Partial<MultifileOptions>) =>
      use(folder, (cache) => assertEquals([cache.get(KEY), namesIn(`${folder}/c`)], [undefined, [STATUS]]), {
        say,
        ...options,
      });
    fill();
    lost({ buildId: "B2" });
    fill();
    lost({ version: 2 });
    fill();
    Deno.writeTextFileSync(`${folder}/c/${STATUS}`, "x");
    lost({});
    fill();
    Deno.removeSync(`${folder}/c/${STATUS}`);
    lost({});
    assertEquals(said.length, 4);
    assertStringIncludes(said[0], "is emptied: its status is of another version or build");
    assertStringIncludes(said.at(-1)!, "it has no status");
  });
});

Deno.test("MultifileCache leaves other files alone, and never follows a link", () => {
  withFolder((folder) => {
    Deno.mkdirSync(`${folder}/c/sub`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/c/notes.txt`, "mine");
    Deno.writeFileSync(`${folder}/other`, encodeEntry({ key: KEY, value: filled(9) }));
    use(folder, (cache) => assertEquals(cache.entries, 0));
    Deno.symlinkSync(`${folder}/other`, `${folder}/c/${NAME}`);
    Deno.writeTextFileSync(`${folder}/c/007`, "x".repeat(50));
    Deno.writeTextFileSync(`${folder}/c/99999999999`, "x".repeat(50));
    Deno.writeTextFileSync(`${folder}/c/1`, "short");
    use(folder, (cache) => assertEquals([cache.get(KEY), cache.entries], [undefined, 0]));
    assertEquals(namesIn(`${folder}/c`), [STATUS, "notes.txt", "sub"]);
    assertEquals(Deno.readTextFileSync(`${folder}/c/notes.txt`), "mine");
    assertEquals(namesIn(folder), ["c", "other"]);
  });
});

Deno.test("MultifileCache removes half-written files of ended processes, and leaves those of running ones", () => {
  withFolder((folder) => {
    use(folder, (cache) => cache.set(KEY, filled(1)));
    const old = `${folder}/c/5.77.tmp`, fresh = `${folder}/c/6.78.tmp`;
    for (const path of [old, fresh]) Deno.writeTextFileSync(path, "half");
    Deno.utimeSync(old, 1000, 1000);
    use(folder, (cache) => assertEquals(cache.entries, 1));
    assertEquals(namesIn(`${folder}/c`).filter((name) => name.endsWith(".tmp")), ["6.78.tmp"]);
  });
});

Deno.test("MultifileCache keeps one of two keys with one hash, and never mixes them up", () => {
  const [one, other] = [0, 0x100400].map((word) => keyWithHash(word));
  assertEquals(entryHash(one) === entryHash(other), false);
  withFolder((folder) => {
    use(folder, (cache) => cache.set(one, filled(4)));
    Deno.renameSync(`${folder}/c/${entryHash(one)}`, `${folder}/c/${entryHash(other)}`);
    use(folder, (cache) => assertEquals([cache.get(other), cache.entries], [undefined, 1]));
  });
});

function keyWithHash(word: number): Uint8Array {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, word, true);
  return key;
}

Deno.test("MultifileCache trusts no changed file, removes it, and never throws", () => {
  withFolder((folder) => {
    const path = `${folder}/c/${NAME}`, whole = encodeEntry({ key: KEY, value: filled(9) });
    use(folder, (cache) => cache.set(KEY, filled(9)));
    const change = fc.record({ at: fc.nat(whole.length - 1), by: fc.integer({ min: 1, max: 255 }), end: fc.nat(36) });
    fc.assert(
      fc.property(change, ({ at, by, end }) => {
        const file = whole.slice();
        file[at] ^= by;
        Deno.writeFileSync(path, file.subarray(0, Math.max(end, at + 1)));
        use(folder, (cache) => assertEquals(cache.get(KEY), undefined));
        assertEquals(namesIn(`${folder}/c`), [STATUS]);
      }),
      { numRuns: 60 },
    );
  });
});

Deno.test("MultifileCache says why it cannot cache, and throws no error", () => {
  withFolder((folder) => {
    const said: string[] = [], say = (text: string) => said.push(text);
    Deno.writeTextFileSync(`${folder}/c`, "a file where the folder should be");
    use(folder, (cache) => {
      cache.set(KEY, filled(9));
      assertEquals([cache.get(KEY), cache.entries, cache.bytes], [undefined, 0, 0]);
    }, { say });
    assertEquals(said.length, 1);
    assertStringIncludes(said[0], "cannot be used");
  });
});

Deno.test("MultifileCache reports that its folder was removed, and goes on", () => {
  withFolder((folder) => {
    const said: string[] = [];
    use(folder, (cache) => {
      cache.set(KEY, filled(9));
      Deno.removeSync(`${folder}/c`, { recursive: true });
      cache.set(keyOf(1), filled(9));
      assertEquals([cache.get(keyOf(1)), cache.entries], [undefined, 1]);
    }, { say: (text) => said.push(text) });
    assertStringIncludes(said[0], "cannot be written to");
  });
});
