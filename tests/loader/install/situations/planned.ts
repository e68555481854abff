/**
 * Tables of plans: what a native program does with Vulkan, step by step, on a
 * machine with drivers as described, and what it gets.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { vulkanHeaders } from "../../../../tools/setup/parts.ts";
import { compileFixture } from "../../../support/compile.ts";
import { withFolder } from "../../../support/temporary.ts";
import { writeManifest } from "../../driver/machine.ts";
import { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { compileClient, runClient, SYSTEM } from "../client.ts";
import { only } from "../words.ts";

/** The program; `undefined` without a compiler. */
export const planApp: string | undefined = compileClient("plan_app");
/** The driver; `undefined` without a compiler. */
export const plannedDriver: string | undefined = planApp &&
  compileFixture("planned_driver", ["-idirafter", vulkanHeaders()!]);

/** A plan and what comes of it. */
export interface Planned {
  /** The situation in a few words. */
  readonly title: string;
  /** The drivers in the words of planned_driver.c, each with `; ` between. `DIR/` begins a path in the machine's folder. */
  readonly drivers: readonly string[];
  /** Steps in the words of plan_app.c, with `; ` between. `DIR/` begins a path in the machine's folder. */
  readonly plan: string;
  /** The answers to the steps, with ` | ` between. */
  readonly gets: string;
  /** The loader that differs: the system's has older ways, or Pumice others, which a row of linux-differences.md names. */
  readonly differs?: "older" | "ours";
  /** The answers on another thread if they differ, as docs/internals/linux-differences.md says. */
  readonly elsewhere?: string;
  /** Other layers and files of the machine. */
  readonly set?: (machine: LayerMachine) => void;
}

/** A row of a table. */
export function plan(
  title: string,
  drivers: string | readonly string[],
  steps: string,
  gets: string,
  more: Pick<Planned, "differs" | "elsewhere" | "set"> = {},
): Planned {
  return { title, drivers: typeof drivers === "string" ? [drivers] : drivers, plan: steps, gets, ...more };
}

/** The answers that native code gets in each plan from a loader, on a thread. */
export function carryOut(plans: readonly Planned[], loader: string, where: "here" | "thread", more = {}): string[] {
  return withFolder((folder) => {
    const lines = plans.map((each, index) => lineOf(each, `${folder}/${index}`));
    Deno.writeTextFileSync(`${folder}/steps`, lines.join("\n") + "\n");
    const env = { ...only(folder), PUMICE_TEST_STEPS: `${folder}/steps`, VK_LOADER_DEBUG: "error", ...more };
    return [...runClient(planApp!, { loader, where, env }).said];
  });
}

/** Fails unless native code gets what each plan says, on these kinds of thread, as from the system's loader. */
export function assertPlans(
  plans: readonly Planned[],
  threads: readonly ("here" | "thread")[] = ["here", "thread"],
): void {
  for (const where of threads) {
    const gotten = ({ gets, elsewhere = gets }: Planned) => where === "here" ? gets : elsewhere;
    assertEquals(carryOut(plans, "pumice", where), plans.map((each) => `${each.title} | ${gotten(each)}`), where);
  }
  if (SYSTEM === undefined) return;
  const same = plans.filter(({ differs }) => differs === undefined);
  assertEquals(carryOut(same, SYSTEM, "thread"), same.map(({ title, gets }) => `${title} | ${gets}`));
}

function lineOf({ title, drivers, plan, set }: Planned, folder: string): string {
  const machine = new LayerMachine(folder);
  Deno.mkdirSync(`${folder}/drivers`, { recursive: true });
  drivers.forEach((words, index) => writeDriver(folder, words, index));
  set?.(machine);
  const manifests = drivers.map((_, index) => `${folder}/drivers/${index}.json`); // in this order, which a folder has not
  const variables = `set XDG_DATA_HOME=${folder}; set VK_DRIVER_FILES=${manifests.join(":")}`;
  return `${title}\t${variables}; ${plan.replaceAll("DIR/", `${folder}/`)}`;
}

/** Drivers that begin with `hidden` have no manifest. */
function writeDriver(folder: string, words: string, index: number): void {
  const library = `${folder}/driver_${index}.so`, [first, ...rest] = words.split("; ");
  const isHidden = first === "hidden", lines = [`number ${index + 1}`, ...isHidden ? rest : [first, ...rest]];
  Deno.copyFileSync(plannedDriver!, library);
  Deno.writeTextFileSync(`${library}.plan`, lines.map((line) => `${line}\n`).join(""));
  const version = words.match(/api (\d\.\d)/)?.[1] ?? "1.3";
  if (!isHidden) writeManifest(`${folder}/drivers/${index}.json`, library, { api_version: `${version}.0` });
}
