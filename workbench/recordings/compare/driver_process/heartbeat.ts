import type { Recording } from "../../replay/recording_file.ts";

/** Milliseconds between two signs of life. */
const INTERVAL = 1000;

/**
 * A recording that calls back now and then while somebody goes through the
 * lines. What takes long between two lines is no driver.
 */
export function withHeartbeat(
  { lines, data }: Recording,
  onAlive: () => void,
  clock: () => number = () => performance.now(),
): Recording {
  let latest = clock();
  return {
    data,
    lines: {
      *entries() {
        for (const entry of lines.entries()) {
          const now = clock();
          if (now - latest > INTERVAL) {
            latest = now;
            onAlive();
          }
          yield entry;
        }
      },
    },
  };
}
