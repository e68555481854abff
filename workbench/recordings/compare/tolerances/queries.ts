import {
  VK_QUERY_CONTROL_PRECISE_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_QUERY_TYPE_OCCLUSION,
} from "../../../../loader/gen/enums_core_gen.js";
import type { Fields } from "../../state_tracker/fields.ts";
import { phaseOf } from "./places.ts";
import type { Noting } from "./transfers.ts";

/** The queries of occlusion that were begun with a precise count, by pool. */
export class Queries {
  readonly #precise = new Map<string, Set<number>>();

  /** Notes the beginning of a query. */
  begin({ queryPool, query, flags = 0 }: Fields): void {
    const known = this.#precise.get(queryPool) ?? new Set();
    this.#precise.set(queryPool, known);
    if (flags & VK_QUERY_CONTROL_PRECISE_BIT) known.add(query);
    else known.delete(query);
  }

  /** Notes the end of a pool. */
  forget(pool: string): void {
    this.#precise.delete(pool);
  }

  /** Notes a copy of answers: of those that are not precise, only zero has a meaning. */
  copy({ places, resources }: Noting, args: Fields): void {
    const { queryPool, firstQuery, queryCount, dstBuffer: buffer, dstOffset, stride, flags = 0 } = args;
    const isOcclusion = resources.info(queryPool)?.queryType === VK_QUERY_TYPE_OCCLUSION;
    const size = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4,
      numbers = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 2 : 1;
    for (let index = 0; index < queryCount; index++) {
      const from = Number(dstOffset) + index * Number(stride), count = { is: "count", size } as const;
      places.define({ buffer, from, to: from + size * numbers });
      const isPrecise = this.#precise.get(queryPool)?.has(firstQuery + index) ?? false;
      if (isOcclusion && !isPrecise) places.loosen({ buffer, from, to: from + size }, count, phaseOf(from, count));
    }
  }
}
