/** Programs that one process replays. */
export interface Range {
  /** The driver's library. */
  readonly driver: string;
  /** The most actions of a program. */
  readonly actions: number;
  /** The first seed. */
  readonly from: number;
  /** The seed after the last. */
  readonly to: number;
}

/** The sentences about a program. */
export interface Found {
  /** The driver's library. */
  readonly driver: string;
  /** The program's seed. */
  readonly seed: number;
  /** Messages of validation, or how the process ended. */
  readonly messages: readonly string[];
  /** Whether the program ended its process. */
  readonly ended?: true;
}

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
/** Seconds that a process may take for each of its programs; one that is stuck is ended. */
const SECONDS_FOR_EACH = 60;
/** The layer's switch for checking synchronisation. */
const SYNCHRONISATION = { VK_LAYER_ENABLES: "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT" };

/** Replays a range in a process of its own, and programs one by one where the process ends before its time. */
export async function replayed(range: Range): Promise<Found[]> {
  const { driver, actions, from, to } = range;
  const { said, ending } = await validated(range);
  if (said) return Object.entries(said).map(([seed, messages]) => ({ driver, seed: Number(seed), messages }));
  if (to - from === 1) return [{ driver, seed: from, messages: [ending], ended: true }];
  const middle = (from + to) >> 1;
  const halves = [{ driver, actions, from, to: middle }, { driver, actions, from: middle, to }];
  return [...await replayed(halves[0]), ...await replayed(halves[1])];
}

/** Returns the messages of validation by seed, or how the process ended without saying so. */
async function validated({ driver, actions, from, to }: Range) {
  const program = `${ROOT}tests/workbench/programs/programs/validated.ts`;
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", `--import-map=${ROOT}tools/offline_import_map.json`, program],
      ...[driver, `${from}`, `${to}`, "", `${actions}`],
    ],
    env: { NO_COLOR: "1", ...SYNCHRONISATION },
    signal: AbortSignal.timeout(SECONDS_FOR_EACH * (to - from) * 1000),
  });
  const { success, code, signal, stdout, stderr } = await command.output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (success) return { said: JSON.parse(text.split("\n").at(-1)!) as Record<string, string[]>, ending: "" };
  return { said: undefined, ending: `the process ended with ${signal ?? code}: ${errors.split("\n").at(-1)}` };
}
