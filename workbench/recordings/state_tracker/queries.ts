import { VK_QUERY_CONTROL_PRECISE_BIT } from "../../../loader/gen/enums_core_gen.js";
import { coreName } from "../record/commands.ts";
import type { Fields, RecordedCall } from "../record/line.ts";
import type { Resources } from "./resources.ts";
import type { Pass } from "./state.ts";

/** The queries of a pool that a command or call is about. */
interface QueryRange {
  readonly pool: string;
  readonly first: number;
  readonly count: number;
}

/** Commands that give results, or will do so: each about one query, or about as many as a render pass has views. */
const SINGLE = /^vkCmd(BeginQuery|EndQuery|WriteTimestamp)/;
/** Commands that give a result for each of several objects. */
const PROPERTIES = /^vkCmdWrite(AccelerationStructures|Micromaps)Properties/;

/** The queries that were reset, begun or answered since somebody began to look. */
export class Queries {
  /** By pool and number: whether the query was last begun with a precise count. */
  readonly #pools = new Map<string, Map<number, boolean>>();

  /** Notes a command that is carried out, in its pass, or a call that resets queries at once. */
  note({ command, args }: RecordedCall, resources?: Resources, pass?: Pass): void {
    const core = coreName(command), range = queriesOf(command, args, resources && pass && viewCount(pass, resources));
    if (!range || /^vk(Get|CmdCopy)/.test(core)) return;
    const known = this.#pools.get(range.pool) ?? new Map<number, boolean>();
    this.#pools.set(range.pool, known);
    const isPrecise = ((args.flags ?? 0) & VK_QUERY_CONTROL_PRECISE_BIT) !== 0;
    for (let query = range.first; query < range.first + range.count; query++) {
      const keeps = core.startsWith("vkCmdEndQuery");
      known.set(query, keeps ? known.get(query) ?? false : core.startsWith("vkCmdBeginQuery") && isPrecise);
    }
  }

  /** Notes the end of a pool. */
  forget(pool: string): void {
    this.#pools.delete(pool);
  }

  /** Whether a query was last begun with a precise count. */
  isPrecise(pool: string, query: number): boolean {
    return this.#pools.get(pool)?.get(query) === true;
  }

  /** Whether all queries that a command or call is about were reset, begun or answered; `true` for other commands. */
  knowsAll({ command, args }: RecordedCall): boolean {
    const { pool = "", first = 0, count = 0 } = queriesOf(command, args) ?? {}, known = this.#pools.get(pool);
    return Array.from({ length: count }, (_, index) => first + index).every((query) => known?.has(query));
  }
}

/** Returns the queries that a command or call is about; `undefined` for one without any. */
function queriesOf(command: string, args: Fields, views = 1): QueryRange | undefined {
  const { queryPool: pool, query, firstQuery, queryCount, accelerationStructureCount, micromapCount } = args;
  if (typeof pool !== "string") return undefined;
  if (PROPERTIES.test(command)) return { pool, first: firstQuery, count: accelerationStructureCount ?? micromapCount };
  return SINGLE.test(command) ? { pool, first: query, count: views } : { pool, first: firstQuery, count: queryCount };
}

/** Returns how many queries one command takes: one for each view of the pass. */
function viewCount({ begin: { args }, isDynamic, subpass }: Pass, resources: Resources): number {
  const info = isDynamic ? args.pRenderingInfo : resources.info(args.pRenderPassBegin.renderPass);
  const multiview = (info?.pNext ?? []).find(({ pViewMasks }: Fields) => pViewMasks);
  const mask = isDynamic ? info.viewMask : info?.pSubpasses?.[subpass]?.viewMask ?? multiview?.pViewMasks[subpass];
  return Math.max(1, (mask ?? 0).toString(2).replaceAll("0", "").length);
}
