import { processorSeconds } from "../../tools/proc.ts";
import { natsServerPath } from "../../tools/setup/parts.ts";
import { NatsServer } from "../../tests/workbench/runs/queue/nats_server.ts";
import type { Figure } from "../figure.ts";

const PROGRAM = new URL("../../tests/workbench/runs/queue/programs/nothing.ts", import.meta.url).pathname;
const MAP = new URL("../../tools/offline_import_map.json", import.meta.url).pathname;
const WORKERS = 8;
/** Cases that cost nothing, alone and in batches, and tasks that take a time, for each worker. */
const ALONE = 4000, MANY = 200_000, BATCH = 500, TIMED = 25, MILLISECONDS = 200;

/** The costs of a run over a queue on this machine: workers in one process, the run in another one, a server. */
export async function queueFigures(): Promise<Figure[]> {
  if (natsServerPath() === undefined) return [];
  const batched = await measured(MANY, BATCH, 0), alone = await measured(ALONE, 1, 0);
  const timed = await measured(TIMED * WORKERS, 1, MILLISECONDS), ideal = TIMED * MILLISECONDS / 1000;
  const µs = (seconds: number) => 1e6 * seconds;
  return [
    {
      name: "queue_case_us",
      meaning: `a case that costs nothing, in batches of ${BATCH} over ${WORKERS} workers`,
      value: µs(batched.seconds / MANY),
      unit: "µs",
      goal: 50,
    },
    {
      name: "queue_spread",
      meaning: `tasks of ${MILLISECONDS} ms over ${WORKERS} workers, beside the shortest possible time`,
      value: timed.seconds / ideal,
      unit: "×",
      goal: 1.15,
    },
    ...figuresOf("case", `a case in batches of ${BATCH}`, batched, MANY),
    ...figuresOf("task", "a task of one case", alone, ALONE),
  ];
}

/** The costs of one case on each side. */
function figuresOf(name: string, of: string, { sides }: Measured, cases: number): Figure[] {
  return Object.entries(sides).flatMap(([side, { cpu, messages, bytes }]) => [
    {
      name: `queue_${name}_${side}_us`,
      meaning: `processor time of the ${side} for ${of}`,
      value: 1e6 * cpu / cases,
      unit: "µs",
    },
    {
      name: `queue_${name}_${side}_messages`,
      meaning: `messages to and from the ${side} for ${of}`,
      value: messages / cases,
      unit: "",
    },
    {
      name: `queue_${name}_${side}_bytes`,
      meaning: "bytes of these messages",
      value: bytes / cases,
      unit: "B",
    },
  ]);
}

/** The counters of a server. */
type Counts = Readonly<Record<"in_msgs" | "out_msgs" | "in_bytes" | "out_bytes", number>>;

/** The costs of one side: seconds of processor time, its start included, and what went to it and from it. */
interface Costs {
  readonly cpu: number;
  readonly messages: number;
  readonly bytes: number;
}

interface Measured {
  readonly seconds: number;
  readonly sides: Readonly<Record<"server" | "run" | "workers", Costs>>;
}

/** Nanoseconds of processor time that a task of one case costs the server, the run and so many workers together. */
export async function taskOfWorkers(workers: number): Promise<number> {
  if (natsServerPath() === undefined) return NaN;
  const { sides } = await measured(ALONE, 1, 0, workers);
  return 1e9 * Object.values(sides).reduce((sum, { cpu }) => sum + cpu, 0) / ALONE;
}

async function measured(cases: number, size: number, milliseconds: number, count = WORKERS): Promise<Measured> {
  await using server = await NatsServer.start({ words: ["-m", "-1"] });
  const workers = program("worker", server.url, count, milliseconds),
    ran = await output(program("run", server.url, cases, size, count));
  const counted: Counts = await (await fetch(`${server.monitoring}/varz`)).json();
  const paid = { cpu: processorSeconds(server.pid), ...sumsOf(counted) };
  workers.kill("SIGTERM");
  return { seconds: ran.seconds, sides: { server: paid, run: ran, workers: await output(workers) } };
}

function sumsOf({ in_msgs, out_msgs, in_bytes, out_bytes }: Counts): Omit<Costs, "cpu"> {
  return { messages: in_msgs + out_msgs, bytes: in_bytes + out_bytes };
}

function program(...args: readonly (string | number)[]): Deno.ChildProcess {
  const flags = ["-A", "--quiet", "--no-check", "--import-map", MAP];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, PROGRAM, ...args.map(String)],
    stdin: "null",
    stdout: "piped",
  })
    .spawn();
}

async function output(child: Deno.ChildProcess): Promise<Costs & { readonly seconds: number }> {
  const { success, stdout } = await child.output();
  if (!success) throw new Error("A program that is measured failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}
