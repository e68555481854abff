import { escaped } from "../../pages/page_parts.ts";
import { statusText } from "../deqp/judge.ts";
import { isGood, statusOf } from "../deqp/status.ts";
import type { PastRun } from "./folder.ts";
import { section, table } from "../../pages/report_page.ts";

/** Returns the statuses of a name over the last runs, the newest first, a letter each; `""` for fewer than two runs. */
export function historyText(runs: readonly PastRun[], name: string): string {
  const all = runs.map(({ time, statuses }) => ({
    time,
    word: Object.hasOwn(statuses, name) ? statuses[name] : undefined,
  }));
  if (all.filter(({ word }) => word !== undefined).length < 2) return "";
  const letters = all.map(({ time, word }) =>
    `<abbr class="${kindOf(word)}" title="${escaped(`${time}: ${wordOf(word)}`)}">${escaped(word?.[0] ?? "·")}</abbr>`
  );
  const words = all.map(({ word }) => wordOf(word)).join(", ");
  return `<span class="history"><span aria-hidden="true">${letters.join("")}</span><span class="unseen">${
    escaped(words)
  }</span></span>`;
}

/** The history of what did not always end in the same way. */
export function historySection(runs: readonly PastRun[], names: readonly string[]): string {
  if (runs.length < 2) return "";
  const changing = names.filter((name) => new Set(runs.map(({ statuses }) => statuses[name] ?? "")).size > 1);
  const steady = names.length - changing.length;
  const about = `<p class="note">${runs.length} runs, the newest first, from ${escaped(runs.at(-1)!.time)} to ${
    escaped(runs[0].time)
  }. ${steady} of ${names.length} ended the same way every time.</p>`;
  if (changing.length === 0) return section("history", "History", about);
  const rows = changing.map((name) =>
    `<tr><th scope="row">${escaped(name)}</th><td>${historyText(runs, name) || "new"}</td></tr>`
  );
  return section(
    "history",
    "History",
    about + table("What ended differently", ["result", "newest first"], [`<tbody>${rows.join("")}</tbody>`]),
  );
}

/** A status as people read it; a word that is no status stands as it is. */
function wordOf(word: string | undefined): string {
  const status = statusOf(word ?? "");
  return status === undefined ? word ?? "not there" : statusText(status);
}

function kindOf(word: string | undefined): string {
  const status = statusOf(word ?? "");
  return status === undefined ? "pale" : isGood(status) ? "good" : "bad";
}
