import { bisect, type OnCut } from "./bisect.ts";
import type { Tolerance } from "./contents/tolerance.ts";
import type { Comparison } from "./finding.ts";
import { Pair } from "./pair.ts";
import type { SideOptions } from "./sides/side.ts";

/** Options of {@linkcode compareDrivers}. */
export interface CompareOptions {
  /** The two drivers. The first is what the second is compared with. */
  readonly drivers: readonly [SideOptions, SideOptions];
  /** Whether to look for the first command that differs inside the first submission that differs. Default: yes. */
  readonly bisect?: boolean;
  /** Steps by which the components of a format may differ, by VkFormat. */
  readonly tolerance?: Tolerance;
  /** Milliseconds that a driver may take for a submission, and for a wait. Default 60000. */
  readonly timeout?: number;
  /** Whether to accept a recording that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Called when a submission is compared. */
  readonly onSubmission?: (submission: number) => void;
  /** Called before each replay that looks for the command. */
  readonly onCut?: OnCut;
}

const DEFAULT_TIMEOUT = 60_000;

/** Replays a recording on two drivers and finds the first command whose result differs. */
export async function compareDrivers(recording: string, options: CompareOptions): Promise<Comparison> {
  const { drivers, tolerance = {}, timeout = DEFAULT_TIMEOUT, unsealed = false } = options;
  const pair = new Pair(drivers, { recording, unsealed, timeout, tolerance });
  try {
    const first = await pair.run(undefined, options.onSubmission), { submissions, pieces } = pair.counts;
    const isInside = first?.kind === "differs" && options.bisect !== false;
    const inside = isInside ? await bisect(pair, recording, first.submission!, unsealed, options.onCut) : undefined;
    const finding = inside ?? first;
    return {
      drivers: pair.drivers,
      submissions,
      pieces,
      replays: pair.counts.replays,
      unread: pair.unread,
      ...finding && { finding },
    };
  } finally {
    await pair.close();
  }
}
