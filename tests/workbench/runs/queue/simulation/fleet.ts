import { randomNumbers } from "../../../../../examples/scene/random.ts";
import type { FuzzOutcome } from "../../../../../workbench/programs/campaign/fuzz.ts";
import type { CommandWork } from "../../../../../workbench/runs/queue/command_handler.ts";
import { delay } from "../../../../../workbench/runs/queue/patience.ts";
import { Worker } from "../../../../../workbench/runs/queue/worker.ts";
import type { Batch, Handler } from "../../../../../workbench/runs/queue/worker_options.ts";
import { standInCard } from "../stand_in_worker.ts";
import { type FalseClock, Machine } from "./false_clock.ts";
import { SimulatedQueue } from "./simulated_queue.ts";
import type { SimulatedServer } from "./simulated_server.ts";

export const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
/** Milliseconds for a block of programs, on average. */
export const BLOCK_TIME = 10 * MINUTE;
/** Milliseconds between two faults of a machine. */
export const GOOD = 36 * HOUR;
/** Milliseconds for which a machine stands still, and until a dead one is replaced. */
const FROZEN = 20 * MINUTE, AWAY = 2 * HOUR;
/** The share of faults by which a machine dies. */
const DEATHS = 0.4;

/** The numbers of times that machines joined, died, stood still and returned. */
export interface FleetCounts {
  joined: number;
  died: number;
  froze: number;
  returned: number;
}

/** Tells what the programs of some seeds show. */
export type Shown = (drivers: readonly string[], seed: number) => string | undefined;

/** Options of simulated machines. */
export interface FleetOptions {
  readonly clock: FalseClock;
  readonly server: SimulatedServer;
  readonly machines: number;
  readonly seed: number;
  /** The names of each machine's drivers. */
  readonly drivers: readonly string[];
  readonly shown: Shown;
  /** Milliseconds between two faults of a machine, on average; 0 for none. Default: a day and a half. */
  readonly good?: number;
  /** Whether a block of programs cannot be tried. Default: none. */
  readonly fails?: (drivers: readonly string[], first: number) => boolean;
}

/** Machines with workers that join, die, stand still and return at random. */
export class Fleet {
  readonly counts: FleetCounts = { joined: 0, died: 0, froze: 0, returned: 0 };
  readonly #options: FleetOptions;
  readonly #random: () => number;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#random = randomNumbers(options.seed);
    for (let index = 0; index < options.machines; index++) this.#join();
  }

  /** A time that is on average so long, as faults that do not know of each other have it. */
  #about(average: number): number {
    return -Math.log(1 - this.#random()) * average;
  }

  #join(): void {
    const { clock, server, drivers } = this.#options, machine = new Machine(`machine${this.counts.joined++}`);
    const devices = [{ name: "Stand-in", uuid: "00", driverVersion: 1, api: "1.0.0" }];
    const card = standInCard({ host: machine.name, drivers: drivers.map((name) => ({ name, path: "auto", devices })) });
    const handlers = { command: this.#handler() }, drain = new AbortController().signal;
    clock.on(machine, () => {
      new Worker({ queue: new SimulatedQueue(server), card, handlers, drain }).run().catch((error) => {
        throw new Error("A worker ended", { cause: error });
      });
    });
    if (this.#options.good !== 0) this.#fail(machine);
  }

  #fail(machine: Machine): void {
    const { clock, good = GOOD } = this.#options;
    clock.after(this.#about(good), undefined, () => {
      if (this.#random() < DEATHS) {
        machine.state = "gone";
        this.counts.died++;
        return void clock.after(this.#about(AWAY), undefined, () => this.#join());
      }
      machine.state = "frozen";
      this.counts.froze++;
      clock.after(this.#about(FROZEN), undefined, () => {
        this.counts.returned++;
        clock.thaw(machine);
        this.#fail(machine);
      });
    });
  }

  /** Takes the time of a block, and answers as the command line does. */
  #handler(): Handler {
    const { shown, fails = () => false } = this.#options;
    return async ({ pieces, signal }: Batch, { started, ended }) => {
      for (const { key: name, work } of pieces) {
        started(name);
        const { drivers, words } = work as CommandWork, time = BLOCK_TIME * (0.5 + this.#random());
        await delay(time, signal);
        if (signal.aborted) return;
        const report = reportOf(drivers, words, shown), code = Number(report.findings.length > 0);
        if (fails(drivers, numberOf(words, "seed"))) {
          ended({ name, status: "InternalError", message: "the driver is busy", seconds: time / 1000 });
        } else {
          const details = { code, report, files: [] }, status = code === 0 ? "Pass" : "Fail";
          ended({ name, status, message: "", seconds: time / 1000, details, isFinal: true });
        }
      }
    };
  }
}

function numberOf(words: readonly string[], name: string): number {
  return Number(words.find((word) => word.startsWith(`--${name}=`))!.slice(name.length + 3));
}

/** The report of a command line about its programs. */
function reportOf(
  drivers: readonly string[],
  words: readonly string[],
  shown: Shown,
): Pick<FuzzOutcome, "programs" | "known"> & { findings: { signature: string; seed: number; count: number }[] } {
  const first = numberOf(words, "seed"), programs = numberOf(words, "programs");
  const findings = new Map<string, { signature: string; seed: number; count: number }>();
  for (let seed = first; seed < first + programs; seed++) {
    const signature = shown(drivers, seed), before = signature === undefined ? undefined : findings.get(signature);
    if (before) before.count++;
    else if (signature !== undefined) findings.set(signature, { signature, seed, count: 1 });
  }
  return { programs, known: 0, findings: [...findings.values()] };
}
