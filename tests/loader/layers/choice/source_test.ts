import { assertEquals } from "@std/assert";
import { followingHost } from "../../../../loader/driver/host/following_host.ts";
import type { Host } from "../../../../loader/driver/host/host.ts";
import type { LayerCatalog } from "../../../../loader/layers/choice/rules.ts";
import { LayerSource } from "../../../../loader/layers/choice/source.ts";
import { withFolder } from "../../../support/temporary.ts";

/** Milliseconds after which a file counts as at rest: what has just changed may change again within one tick. */
const TICKS = 60;

/** A source whose search reads one file, and the texts that the searches read. */
function sourceOf(path: string, isKept = false): { source: LayerSource; read: string[] } {
  const read: string[] = [];
  const search = (host: Host) => {
    read.push(new TextDecoder().decode(host.readFile(path)));
    return { findings: [] } as unknown as LayerCatalog;
  };
  return {
    source: new LayerSource({ host: followingHost(), finder: { implicit: true, isKept, read: search } }),
    read,
  };
}

Deno.test("layers are searched again when what the search looked at has changed, and not before", () =>
  withFolder((folder) => {
    const path = `${folder}/layer.json`, { source, read } = sourceOf(path);
    Deno.writeTextFileSync(path, "one");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TICKS);
    const first = source.look(true);
    assertEquals([source.look(true) === first, read], [true, ["one"]]);
    Deno.writeTextFileSync(path, "two");
    assertEquals([source.look(true) === first, read], [false, ["one", "two"]]);
  }));

Deno.test("a search for a script that wants no layer is another one than for a script that does", () =>
  withFolder((folder) => {
    const path = `${folder}/layer.json`, { source, read } = sourceOf(path);
    Deno.writeTextFileSync(path, "one");
    assertEquals([source.look(true) === source.look(false), read], [false, ["one", "one"]]);
  }));

Deno.test("a finder that keeps its own findings is asked each time", () =>
  withFolder((folder) => {
    const path = `${folder}/layer.json`, { source, read } = sourceOf(path, true);
    Deno.writeTextFileSync(path, "one");
    source.look(true);
    source.look(true);
    assertEquals(read, ["one", "one"]);
  }));
