import type { DisplayReport } from "./report.ts";

/** What the page is told, as JSON: all there is to know, so that nothing is lost with what was left out before. */
export interface News {
  /** Whether time stands; `null` if it cannot be stopped. */
  readonly isPaused: boolean | null;
  /** The displays, by number. */
  readonly displays: readonly DisplayReport[];
  /** Names of the strategies that can be chosen. */
  readonly strategies: readonly string[];
  /** Names of the planes that can be chosen. */
  readonly models: readonly string[];
  /** Names of the panels that can be plugged. */
  readonly panels: readonly string[];
}
