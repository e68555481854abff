import { assert, assertEquals } from "@std/assert";
import { OURS } from "../../tools/faults/allocations.ts";
import { allocationsInTurn } from "../../tools/faults/failed_allocations.ts";
import { failedInTurn, linesOf, rowOf } from "../../tools/faults/main.ts";
import { libraryParts } from "../../tools/faults/library.ts";
import { examples, pagePrograms } from "../../tools/faults/programs.ts";
import { errorsOf, failed, type Program } from "../../tools/faults/run.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { compileFixture } from "../support/compile.ts";
import { withFolder } from "../support/temporary.ts";
import { count } from "../support/counts.ts";
import { needs } from "../support/require.ts";

const DRIVER = lavapipePath(), NEEDS = needs("Mesa lavapipe", DRIVER);

Deno.test("each driver call of an example fails in turn: the right error, and nothing is left", NEEDS, async () => {
  for (const program of examples().filter(({ name }) => /compute|devices/.test(name))) {
    const row = await failedInTurn(program, DRIVER!, { isFirst: true, most: count(1, 3) });
    assertEquals(row.outcomes.flatMap(({ findings }) => findings), []);
    assert(row.outcomes.length > 0 && row.calls >= row.outcomes.length, linesOf(row)[0]);
  }
});

Deno.test("each driver call of a composition and of a window fails in turn: nothing is left", NEEDS, async () => {
  for (const program of libraryParts()) {
    const row = await failedInTurn(program, DRIVER!, { isFirst: true, most: count(1, 3) });
    assertEquals(row.outcomes.flatMap(({ findings }) => findings), [], program.name);
  }
});

Deno.test("a program that fails by itself is told, and ends no run", NEEDS, async () => {
  const program: Program = { name: "a broken one", run: () => Promise.reject(new Error("no layer")) };
  const row = await rowOf(program, async () => {
    await failedInTurn(program, DRIVER!, { isFirst: true, most: 1 });
    return { lines: [], findings: 0 };
  });
  assertEquals(row, { lines: ["a broken one: not tried, since it fails by itself: no layer"], findings: 1 });
});

Deno.test("a replay frees memory that cannot be mapped", NEEDS, async () => {
  const folder = Deno.makeTempDirSync({ dir: new URL("../../.cache", import.meta.url).pathname }), home = Deno.cwd();
  try {
    const program = pagePrograms(folder).find(({ name }) => name.includes("recordings"))!;
    Deno.chdir(folder); // the program writes its recording there
    const place = { command: "vkMapMemory", call: 2 }, [result] = errorsOf(place.command);
    const { ending, findings } = await failed(program, place, result, DRIVER!);
    assertEquals([ending, findings], ["the right error", []]);
  } finally {
    Deno.chdir(home);
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test(
  "each allocation of an example fails in turn: VK_ERROR_OUT_OF_HOST_MEMORY, and nothing of the loader is left",
  needs("Mesa lavapipe, a C compiler", DRIVER && compileFixture("failing_allocator", ["-funwind-tables"])),
  () => {
    withFolder((folder) => {
      const devices = examples().find(({ name }) => name.includes("devices"))!;
      const { endings, asked, findings } = allocationsInTurn(devices, DRIVER!, folder);
      assertEquals([findings, Object.keys(endings)], [[], ["the right error"]]);
      assert(asked[OURS] > 0 && Object.keys(asked).length > 1, JSON.stringify(asked));
    });
  },
);

Deno.test("a program that leaves an object behind an error, or hides the error, is a finding", NEEDS, async () => {
  const program = (after: (error: unknown) => unknown): Program => ({
    name: "a careless one",
    run() {
      using vulkan = loadVulkan();
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      const event = device.vkCreateEvent({});
      try {
        device.vkSetEvent(event);
      } catch (error) {
        return Promise.reject(after(error) ?? error);
      }
      device.vkDestroyEvent(event);
      return Promise.resolve();
    },
  });
  const place = { command: "vkSetEvent", call: 1 }, [result] = errorsOf(place.command);
  const leaky = await failed(program(() => undefined), place, result, DRIVER!);
  assertEquals([leaky.ending, leaky.findings], ["the right error", ["objects are left, 1: VkEvent of vkCreateEvent"]]);
  const hidden = await failed(program(() => new Error("no")), place, result, DRIVER!);
  assertEquals(hidden.ending, "another error");
});
