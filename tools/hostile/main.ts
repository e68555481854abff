/**
 * `deno task hostile`: gives everything that reads what others wrote inputs that are nearly right, and prints what
 * became of them. Each must be taken, or refused by a documented error, soon and without much memory.
 *
 * @module
 */
import { compileProgram } from "../../tests/support/compile.ts";
import { anglePaths, lavapipePath, swiftshaderPath } from "../setup/parts.ts";
import { OptionError, readOptions, runTask } from "../task.ts";
import { changedElf, systemLinker } from "./elf.ts";
import { LAYERS, MODULES, openedLayer, openedModule } from "./native.ts";
import { type Row, tableOf } from "./outcome.ts";
import { replayedRecordings } from "./replays/replays.ts";
import { fuzzed } from "./structured.ts";

const KINDS = ["elf", "files", "replays", "modules", "layers"] as const;
const HELP = `deno task hostile [--seed=N] [--runs=N] [--every=N] [KIND...]

  --seed   the seed of the inputs; the same seed makes the same inputs; without it, a random one
  --runs   inputs for each reader of files and messages; without it, 2000
  --every  of the changes of libraries, every so-manieth is made; without it, 1
  KIND     elf: every byte of the headers and the dynamic section of lavapipe, SwiftShader and ANGLE, changed in turn;
           what the inspection lets pass is opened in a child. files: manifests, settings, properties, caches,
           recordings, traces, descriptions of devices, messages. replays: changed recordings of random programs,
           replayed and compared on lavapipe in a child, a tenth as many on SwiftShader; the validation layer says
           whose fault a death is. modules:
           hwcomposer2 modules that return garbage, hang, call from threads and unmap themselves. layers: native
           layers of these kinds, and such as have no functions or return success without an object. Without any, all

Exit status: 0 when every input was taken or refused by a documented error, 1 for a finding, 2 for a wrong option.`;

function main(): number {
  const { values, positionals } = readOptions(HELP, {
    options: {
      seed: { type: "string", default: `${Date.now() % 1e9}` },
      runs: { type: "string", default: "2000" },
      every: { type: "string", default: "1" },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((each) => !KINDS.includes(each as typeof KINDS[number]));
  if (unknown !== undefined) throw new OptionError(`There is no kind "${unknown}": choose among ${KINDS.join(", ")}`);
  const [seed, runs, every] = (["seed", "runs", "every"] as const).map((name) => whole(name, values[name]));
  const kinds = positionals.length > 0 ? positionals : KINDS, folder = Deno.makeTempDirSync();
  try {
    const rows = kinds.flatMap((kind) => {
      console.error(`trying ${kind} …`);
      if (kind === "files") return fuzzed(seed, runs, folder);
      if (kind === "elf") return libraries(folder, seed, Math.max(1, every));
      if (kind === "modules") return MODULES.flatMap((each) => openedModule(each) ?? []);
      if (kind === "replays") return replays(seed, runs, folder);
      const driver = lavapipePath();
      return driver === undefined ? [] : LAYERS.flatMap((each) => openedLayer(each, driver) ?? []);
    });
    console.log(tableOf(rows, seed).join("\n"));
    return rows.some(({ findings }) => findings.length > 0) ? 1 : 0;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function libraries(folder: string, first: number, every: number): Row[] {
  const program = compileProgram("changed_library"), linker = program === undefined ? undefined : systemLinker(program);
  const paths = [lavapipePath(), swiftshaderPath(), anglePaths()?.egl].filter((path) => path !== undefined);
  return paths.flatMap((path) => changedElf(path, folder, { every, first, linker }));
}

/** SwiftShader is many times slower than lavapipe. */
function replays(seed: number, runs: number, folder: string): Row[] {
  const drivers = [["lavapipe", lavapipePath(), runs], ["SwiftShader", swiftshaderPath(), runs / 10]] as const;
  return drivers.flatMap(([name, driver, count]) => {
    if (driver === undefined) return [];
    Deno.mkdirSync(`${folder}/${name}`);
    return replayedRecordings(driver, seed, Math.ceil(count), `${folder}/${name}`)
      .map((row) => ({ ...row, reader: `${row.reader} on ${name}` }));
  });
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new OptionError(`--${name} is "${text}"; give a whole number`);
}

if (import.meta.main) await runTask(HELP, main);
