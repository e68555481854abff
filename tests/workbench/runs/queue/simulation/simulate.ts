import type { Request } from "../../../../../cli/command.ts";
import { type CampaignOutcome, campaignOverQueue } from "../../../../../cli/queue/campaign_over_queue.ts";
import type { DriverPair } from "../../../../../cli/queue/drivers.ts";
import { type KeptFinding, KeptFindings } from "../../../../../workbench/programs/campaign/kept_findings.ts";
import { FalseClock, Machine } from "./false_clock.ts";
import { BLOCK_TIME, DAY, Fleet, type FleetCounts, type FleetOptions, type Shown } from "./fleet.ts";
import { SimulatedQueue } from "./simulated_queue.ts";
import { SimulatedServer } from "./simulated_server.ts";

/** Programs of a block, as a campaign cuts them. */
const BLOCK = 20;

/** The parts of a simulation. */
export interface Simulation extends Pick<FleetOptions, "machines" | "seed" | "good" | "fails"> {
  /** Runs of the campaign. Each has programs for so many hours of all machines. */
  readonly runs: number;
  readonly hours: number;
  /** The pairs of drivers. */
  readonly pairs: readonly (readonly [string, string])[];
  /** The folder of the campaign. */
  readonly folder: string;
  /** Whether the machine that began a run dies in its middle, and another one joins the run. Default: true. */
  readonly joins?: boolean;
}

/** The outcome of a simulation. */
export interface Simulated {
  readonly fleet: FleetCounts;
  /** The outcome of each run. */
  readonly runs: readonly CampaignOutcome[];
  /** The lines about new differences, of all runs that ended. */
  readonly told: readonly string[];
  readonly kept: KeptFindings;
  /** The findings in the campaign's file. */
  readonly findings: readonly KeptFinding[];
  /** Messages to and from the server, and the most bytes that the server kept at a time. */
  readonly messages: number;
  readonly bytes: number;
  /** Seconds of processor time that the machine which ran the campaign worked, and milliseconds of the false clock. */
  readonly spent: number;
  readonly time: number;
}

/** One program in a thousand shows one of sixty differences. */
export const shown: Shown = (drivers, seed) => {
  const mixed = mix(seed + 0x9e3779b9 * drivers.join().length + drivers[1].charCodeAt(0));
  return mixed % 1000 === 0 ? `differs: vkCmdFault${mix(mixed) % 60}` : undefined;
};

function mix(value: number): number {
  let mixed = Math.imul(value ^ value >>> 16, 0x21f0aaad);
  mixed = Math.imul(mixed ^ mixed >>> 15, 0x735a2d97);
  return (mixed ^ mixed >>> 15) >>> 0;
}

/**
 * Runs a campaign on simulated machines. Only the server, the clock and the programs are not those of real runs.
 * `progress` gets the outcome so far after each run.
 */
export async function simulate(
  simulation: Simulation,
  progress: (done: Simulated) => void = () => {},
): Promise<Simulated> {
  using clock = new FalseClock();
  const server = new SimulatedServer(clock), drivers = [...new Set(simulation.pairs.flat())];
  const fleet = new Fleet({ ...simulation, clock, server, drivers, shown });
  const runs: CampaignOutcome[] = [], told: string[] = [];
  await clock.until(() => clock.now > 1000); // the first machines are there
  let spent = 0;
  const soFar = (): Simulated => {
    const { messages, most: bytes } = server.counts, kept = new KeptFindings(simulation.folder);
    const { findings } = JSON.parse(Deno.readTextFileSync(`${simulation.folder}/campaign.json`));
    const counts = { messages, bytes, spent: spent / 1e6, time: clock.now };
    return { fleet: { ...fleet.counts }, runs, told, kept, findings, ...counts };
  };
  for (let run = 0; run < simulation.runs; run++) {
    const coordinator = new Coordinator(clock, server, simulation), ended = await coordinator.run();
    runs.push(ended.outcome);
    told.push(...ended.told);
    spent += ended.spent;
    progress(soFar());
  }
  return soFar();
}

/** A run of the campaign that has ended. */
interface Ended {
  readonly outcome: CampaignOutcome;
  readonly told: readonly string[];
  readonly spent: number;
}

class Coordinator {
  readonly #clock: FalseClock;
  readonly #server: SimulatedServer;
  readonly #simulation: Simulation;

  constructor(clock: FalseClock, server: SimulatedServer, simulation: Simulation) {
    [this.#clock, this.#server, this.#simulation] = [clock, server, simulation];
  }

  async run(): Promise<Ended> {
    const { hours, joins = true } = this.#simulation;
    const first = this.#start();
    if (!joins) return await this.#endOf(first);
    const middle = this.#clock.now + hours / 24 * DAY / 2;
    await this.#clock.until(() => this.#clock.now > middle);
    first.machine.state = "gone";
    const name = /^run (\w+):/.exec(first.told.find((line) => line.startsWith("run "))!)![1];
    const ended = await this.#endOf(this.#start(name));
    return { ...ended, spent: ended.spent + first.machine.spent };
  }

  async #endOf({ machine, told, outcome, error }: Started): Promise<Ended> {
    await this.#clock.until(() => outcome.length + error.length > 0);
    if (error.length > 0) throw error[0];
    return { outcome: outcome[0], told: told.filter((line) => line.startsWith("fuzz: new")), spent: machine.spent };
  }

  #start(join?: string): Started {
    const { machines, hours, pairs, folder } = this.#simulation, machine = new Machine("coordinator", true);
    const programs = Math.ceil(machines * hours * 3_600_000 / BLOCK_TIME / pairs.length) * BLOCK;
    const told: string[] = [], outcome: CampaignOutcome[] = [], error: unknown[] = [];
    const request = { values: { patience: "300", join }, operands: [], json: false } as unknown as Request;
    const wanted = pairs.map((drivers): DriverPair => ({
      drivers,
      group: { driver: drivers[0], beside: drivers[1] },
    }));
    const run = { seed: 0, programs, out: folder, reduces: { timeout: 1, budget: 1 } };
    this.#clock.on(machine, () => {
      const queue = new SimulatedQueue(this.#server), warn = (line: string) => void told.push(line);
      const progress = { isTerminal: false, every: DAY, write() {} }, { signal } = new AbortController();
      const campaign = { request, run, pairs: wanted, kept: new KeptFindings(folder) };
      campaignOverQueue({ queue, seal: undefined, signal, warn, progress }, campaign).then(
        (each) => outcome.push(each!),
        (each) => error.push(each),
      );
    });
    return { machine, told, outcome, error };
  }
}

interface Started {
  readonly machine: Machine;
  readonly told: string[];
  readonly outcome: CampaignOutcome[];
  readonly error: unknown[];
}

/** The differences that the tried programs of a campaign show, by brute force: the first seeds and the counts. */
export function differencesOf(
  drivers: readonly [string, string],
  kept: KeptFindings,
): Map<string, number> {
  const left = new Set(
    kept.wanted(drivers, kept.left(drivers)).flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, index) => first + index)
    ),
  );
  const counts = new Map<string, number>();
  for (let seed = 0; seed < kept.next(drivers); seed++) {
    const signature = left.has(seed) ? undefined : shown(drivers, seed);
    if (signature !== undefined) counts.set(signature, (counts.get(signature) ?? 0) + 1);
  }
  return counts;
}

/** The findings that a campaign has kept of a pair, as {@linkcode differencesOf} tells them. */
export function countsOf(findings: readonly KeptFinding[], drivers: readonly [string, string]): Map<string, number> {
  const own = findings.filter((each) => each.drivers.join() === drivers.join());
  return new Map(own.map(({ signature, count }) => [signature, count]));
}
