import { dirname } from "node:path";
import { ownFlags } from "../../workbench/process/own_flags.ts";
import { Progress } from "../../workbench/process/progress.ts";
import { findDrivers, named } from "../../workbench/runs/testing/find_drivers.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { wholeNumber } from "../test/known.ts";
import { untilStopped } from "../../workbench/process/stop.ts";
import { cardOf, queryDrivers } from "../../workbench/runs/queue/card.ts";
import { Queue } from "../../workbench/runs/queue/connect.ts";
import { COMMAND, commandHandler } from "../../workbench/runs/queue/command_handler.ts";
import { DEQP, deqpHandler } from "../../workbench/runs/queue/deqp_handler.ts";
import { addressOf, tellingTrouble } from "./command.ts";
import { readCheckingKey } from "../../workbench/runs/queue/signing.ts";
import type { Handlers, WorkerOptions } from "../../workbench/runs/queue/worker_options.ts";
import type { CardDriver, WorkerCard } from "../../workbench/runs/queue/messages.ts";
import { Shutdown } from "../../workbench/runs/queue/graceful_shutdown.ts";
import { keepMemorySmall } from "../../workbench/runs/queue/small_memory.ts";
import { TEST, testHandler } from "../../workbench/runs/queue/test_handler.ts";
import { QueueTrouble } from "../../workbench/runs/queue/trouble.ts";
import { requirementsText } from "../../workbench/runs/queue/workers.ts";
import { Worker } from "../../workbench/runs/queue/worker.ts";
import { sweepFolders, temporaryFolder } from "../../loader/temporary_folder.ts";

/** The most tasks at a time on one device. Each has its own request at the server. */
export const MOST_SLOTS = 256;
/** Facts that a worker states by itself. A tag of that name would hide them. */
const OWN_FACTS = ["driver", "device", "uuid", "os", "arch", "host"];
/** The last sentence of a worker whose server does not take its last verdicts. */
const LOST = "ended, but the queue's server does not answer: verdicts that are not stored there are lost, " +
  "and other workers execute those tasks again";

/** Runs a worker as a command. */
export function workerMain(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  return tellingTrouble("worker", process, () => worker(request, print, process));
}

/**
 * Runs a worker until SIGTERM or Ctrl-C. Returns 0; 1 if the server did not take the last verdicts; 2 if there is no queue
 * or no driver.
 */
async function worker(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const address = addressOf(request), tags = tagsOf(request.values.tag as string[] | undefined);
  const slots = wholeNumber("--slots", request.values.slots as string | undefined, 1, MOST_SLOTS) ?? 1;
  const { key: path } = request.values as { key?: string },
    seal = path === undefined ? undefined : await readCheckingKey(path);
  const queue = await Queue.open(address);
  using _small = keepMemorySmall();
  try {
    const card = cardOf({ drivers: await driversOf(request, process), tags, slots, key: seal?.id });
    return await work(queue, { card, seal }, request, print);
  } finally {
    await queue.close();
  }
}

/**
 * Returns the handlers of a worker of this version, with temporary files below a folder.
 *
 * @param program The words that start this command line.
 */
export function handlersOf(folder: string, program: readonly string[] = thisProgram()): Handlers {
  return { [DEQP]: deqpHandler(folder), [TEST]: testHandler(folder), [COMMAND]: commandHandler(folder, program) };
}

function thisProgram(): string[] {
  return [Deno.execPath(), "run", ...ownFlags(Deno.mainModule), Deno.mainModule];
}

async function work(
  queue: Queue,
  { card, seal }: Pick<WorkerOptions, "card" | "seal">,
  request: Request,
  print: (text: string) => void,
): Promise<number> {
  using folder = temporaryFolder("worker");
  const tidy = () => sweepFolders(dirname(folder.path));
  using progress = new Progress("worker");
  using stop = untilStopped({ second: "hurry" }); // the first signal drains; the second gives tasks back at once
  const worker = new Worker({
    queue,
    card,
    handlers: handlersOf(folder.path),
    seal,
    isOnce: request.values.once === true,
    tell: print,
    show: (text) => progress.show(text),
    tidy,
    drain: stop.signal,
    stop: stop.hurry,
  });
  using _shutdown = new Shutdown(queue, { signal: stop.signal, hurry: stop.hurry, isAtWork: () => worker.isAtWork });
  const name = `worker ${card.host}-${card.worker}`;
  print(`${name}: ${driversText(card)}`);
  await worker.run();
  print(`${name}: ${worker.hasLost ? LOST : "drained"}`);
  return worker.hasLost ? 1 : 0;
}

async function driversOf({ drivers: paths }: Request, { warn }: Process): Promise<CardDriver[]> {
  const answers = await queryDrivers(paths.length > 0 ? named(paths) : findDrivers({}));
  for (const each of answers) if (typeof each === "string") warn(each);
  const drivers = answers.filter((each) => typeof each !== "string");
  if (drivers.length > 0) return drivers;
  throw new QueueTrouble(
    2,
    "No driver of this worker has a device here: name one with --driver=…, or see `pumice explain`",
  );
}

function driversText({ drivers, tags, slots, key }: WorkerCard): string {
  const texts = drivers.map(({ name, devices }) => `${name} (${devices.map((each) => each.name).join(", ")})`);
  const locked = key === undefined ? "" : ", only tasks that are signed";
  const tagged = Object.keys(tags).length === 0 ? "" : `, ${requirementsText(tags)}`;
  return `${texts.join(", ")}${tagged}${locked}${slots === 1 ? "" : `, ${slots} tasks at a time on a device`}`;
}

function tagsOf(words: readonly string[] = []): Record<string, string> {
  const tags = new Map<string, string>();
  for (const word of words) {
    const [, name, value] = /^([\w.-]+)=([^,\p{Cc}]+)$/u.exec(word) ?? [];
    if (name === undefined) {
      throw new WrongUse(`--tag: "${word}" is no tag; give a name and a value without commas, such as soc=x`);
    }
    if (OWN_FACTS.includes(name)) {
      throw new WrongUse(`--tag: a worker tells "${name}" by itself; give the tag another name`);
    }
    if (tags.has(name)) throw new WrongUse(`--tag: "${name}" is given twice; give each tag once`);
    tags.set(name, value);
  }
  return Object.fromEntries(tags);
}
