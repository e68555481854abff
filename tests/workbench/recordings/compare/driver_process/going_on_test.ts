import { assert, assertEquals } from "@std/assert";
import { defineLayer, loadVulkan, type Vulkan } from "../../../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../../../tools/setup/parts.ts";
import { fuzzFacts } from "../../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../../workbench/programs/generate.ts";
import { actionsOf, isSubmission } from "../../../../../workbench/recordings/compare/driver_process/cut.ts";
import type { Stop } from "../../../../../workbench/recordings/compare/driver_process/protocol.ts";
import { type Rest, runStream } from "../../../../../workbench/recordings/compare/driver_process/run.ts";
import { RecordingFile } from "../../../../../workbench/recordings/replay/recording_file.ts";
import { StateTracker } from "../../../../../workbench/recordings/state_tracker/state_tracker.ts";
import { writeRecording } from "../../../../../workbench/layers.ts";
import { needs } from "../../../../support/require.ts";
import { withFolder } from "../../../../support/temporary.ts";
import { DRAWS, recordScene } from "../../view/scene.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const ALL = { aspectMask: ~0, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 };

/** A layer that counts the draws of passes, and the loading passes that are made. */
function counter() {
  const counts = { draws: 0, passes: 0 };
  const layer = defineLayer({
    name: "VK_LAYER_TEST_counter",
    commands: {
      vkCmdDraw(next, ...all) {
        counts.draws++;
        return next(...all);
      },
      vkCreateRenderPass(next, ...all) {
        counts.passes++;
        return next(...all);
      },
    },
  });
  return { counts, layer };
}

/** The stops at every action of a recording, each with all images. */
function stopsOf(path: string): Stop[] {
  const tracker = new StateTracker(), stops: Stop[] = [], images = new Set<string>();
  let submission = 0;
  for (const [index, line] of new RecordingFile(path, false).lines.entries()) {
    tracker.note(index, line);
    for (const image of tracker.resources.named(/^VkImage#/)) images.add(image);
    if (!isSubmission(line)) continue;
    const also = [...images].map((image) => ({ image, ...ALL }));
    for (let actions = 1; actions <= actionsOf(tracker, line).length; actions++) {
      stops.push({ cut: { submission, actions }, also });
    }
    tracker.submit(line);
    submission++;
  }
  return stops;
}

type Contents = Map<string, Uint8Array>;
const contentsOf = (rest: Rest): Contents => {
  const all = rest.read();
  return new Map(rest.readable.map(({ name }, index) => [name, all[index]]));
};

/** The contents at all stops of one replay that stands, with what the driver was told. */
function standing(driver: string, path: string, stops: readonly Stop[]): { found: Contents[]; counts: object } {
  const { counts, layer } = counter(), found: Contents[] = [];
  using vulkan = loadVulkan({ driver, layers: [layer] });
  runStream(vulkan, new RecordingFile(path, false), {
    timeout: 60_000,
    ...stops[0],
    onRest: () => false,
    onStop(rest, reasonAgainst) {
      found.push(contentsOf(rest));
      const next = stops[found.length];
      if (next) assertEquals(reasonAgainst(next.cut), undefined);
      return next;
    },
  });
  return { found, counts };
}

/** The contents at a stop, by a replay that begins at the first line and ends there. */
function fresh(vulkan: Vulkan, path: string, { cut, also }: Stop): Contents {
  let found: Contents = new Map();
  runStream(vulkan, new RecordingFile(path, false), {
    timeout: 60_000,
    cut,
    also,
    onRest(rest) {
      found = contentsOf(rest);
      return false;
    },
  });
  return found;
}

/** Compares what a standing replay has at each stop with replays that end there. Returns how many pieces there were. */
function compared(driver: string, path: string, stops: readonly Stop[], found: readonly Contents[], what: string) {
  using vulkan = loadVulkan({ driver });
  let pieces = 0;
  for (const [at, stop] of stops.entries()) {
    const expected = fresh(vulkan, path, stop);
    for (const [name, bytes] of found[at]) {
      assertEquals(bytes, expected.get(name), `${what}, stop ${at}: ${name}`);
      pieces++;
    }
  }
  return pieces;
}

for (const [name, driver] of DRIVERS) {
  const permitted = { ...needs(name, driver), sanitizeOps: false, sanitizeResources: false };

  Deno.test(`a replay goes on inside of passes with the contents of one that ends there, on ${name}`, permitted, () => {
    withFolder((folder) => {
      for (const samples of [1, 4] as const) {
        const path = `${folder}/${samples}.jsonl`;
        recordScene(path, driver!, { samples, isDynamic: samples === 1, isSecondary: false, isIndirect: false });
        const stops = stopsOf(path), { found, counts } = standing(driver!, path, stops);
        assert(compared(driver!, path, stops, found, `${samples} samples`) >= 2 * DRAWS.length);
        // Each draw once besides the program's own list; a pass that loads for each of them, and for the end.
        assertEquals(counts, { draws: 2 * DRAWS.length, passes: 1 + DRAWS.length + 1 });
      }
    });
  });

  Deno.test(`a replay goes back and on again, and through secondary command buffers, on ${name}`, permitted, () => {
    withFolder((folder) => {
      for (const isSecondary of [false, true]) {
        const path = `${folder}/${isSecondary}.jsonl`;
        recordScene(path, driver!, { samples: 1, isDynamic: true, isSecondary, isIndirect: true });
        const stops = stopsOf(path), { submission } = stops.at(-1)!.cut;
        const all = stops.filter(({ cut }) => cut.submission === submission),
          order = [3, 3, 9, 1, 5, 6, 0, all.length - 1].map((at) => all[at]);
        assert(compared(driver!, path, order, standing(driver!, path, order).found, `${isSecondary}`) > order.length);
      }
    });
  });

  Deno.test(`a replay goes on through generated programs, on ${name}`, permitted, () => {
    withFolder((folder) => {
      let pieces = 0;
      for (const seed of [11, 12]) {
        const path = `${folder}/${seed}.jsonl`;
        {
          using vulkan = loadVulkan({ driver });
          writeRecording(path, generateProgram(fuzzFacts(vulkan), { seed, actions: 12 }).recording);
        }
        for (const stops of Map.groupBy(stopsOf(path), ({ cut }) => cut.submission).values()) {
          const some = stops.filter((_, at) => at % 2 === 0);
          pieces += compared(driver!, path, some, standing(driver!, path, some).found, `seed ${seed}`);
        }
      }
      assert(pieces > 20, `${pieces} pieces`);
    });
  });
}
