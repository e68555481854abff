import { isBad, outcomeText, statusText } from "../deqp/judge.ts";
import { escaped, pre } from "../../pages/page_parts.ts";
import type { DeqpResult, DeqpRun } from "../deqp/options.ts";
import { isGood as isGoodStatus } from "../deqp/status.ts";
import { historySection } from "./history.ts";
import { badge, filters, kindOf, reportPage, section } from "../../pages/report_page.ts";
import type { RunFacts } from "./test_page.ts";

/** Outcomes that a page lists one by one; of the others it has the number. */
const LISTED = ["failed", "crashed", "timed out", "missing", "fixed", "flaky", "expected"];

/** Returns a page about a run of dEQP's cases, in groups that fold. */
export function deqpPage({ results, counts, isGood }: DeqpRun, facts: RunFacts): string {
  const bad = results.filter(({ outcome }) => isBad(outcome));
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([outcome, count]) =>
    `${count} ${outcome}`
  );
  const listed = results.filter(({ outcome }) => LISTED.includes(outcome));
  const kinds = Object.fromEntries(listed.map(({ outcome }) => [kindOf(outcome), outcome]));
  return reportPage({
    title: bad.length === 0
      ? `${results.length} cases as expected`
      : `${bad.length} of ${results.length} cases not as expected`,
    isGood,
    facts: [["time", facts.time], ["cases", parts.join(", ")]],
    sections: [
      section(
        "groups",
        "Groups",
        filters("cases that did not just pass", kinds, listed.length) + groupParts(treeOf(results), true),
      ),
      historySection(facts.runs, results.filter(({ status }) => !isGoodStatus(status)).map(({ name }) => name)),
      section("again", "Run it again", pre(facts.again)),
    ],
  });
}

/** A group of cases. */
interface Group {
  readonly name: string;
  readonly groups: Map<string, Group>;
  readonly cases: DeqpResult[];
  all: number;
  bad: number;
}

function group(name: string): Group {
  return { name, groups: new Map(), cases: [], all: 0, bad: 0 };
}

function treeOf(results: readonly DeqpResult[]): Group {
  const root = group("");
  for (const result of results) {
    let at = root;
    const count = () => [at.all, at.bad] = [at.all + 1, at.bad + Number(isBad(result.outcome))];
    count();
    for (const word of result.name.split(".").slice(0, -1)) {
      if (!at.groups.has(word)) at.groups.set(word, group(word));
      at = at.groups.get(word)!;
      count();
    }
    at.cases.push(result);
  }
  return root;
}

/** A group of one group alone shows both names in one line. */
function joined(one: Group): Group {
  if (one.groups.size !== 1 || one.cases.length > 0) return one;
  const [only] = one.groups.values();
  return joined({ ...only, name: `${one.name}.${only.name}` });
}

function groupParts(root: Group, isTop = false): string {
  const groups = [...root.groups.values()].map(joined).map((each) => {
    const open = each.bad > 0 ? " open" : "",
      badges = each.bad > 0 ? badge(`${each.bad} not as expected`, "bad") : badge("as expected", "good");
    return `<details class="fold" data-group${open}><summary>${
      escaped(each.name)
    } ${badges} <span class="note">${each.all} cases</span></summary>${groupParts(each)}</details>`;
  });
  const listed = root.cases.filter(({ outcome }) => LISTED.includes(outcome)), rest = root.cases.length - listed.length;
  const items = listed.map(caseItem).join("\n"),
    passed = rest > 0 && !isTop ? `<p class="note">${rest} more passed or were skipped</p>` : "";
  return `${items && `<ul>${items}</ul>`}${passed}${groups.join("\n")}`;
}

function caseItem({ name, status, outcome, message, attempts }: DeqpResult): string {
  const last = name.slice(name.lastIndexOf(".") + 1),
    tries = attempts.length > 1 ? ` <span class="note">${attempts.map(statusText).join(", ")}</span>` : "";
  const kind = outcome === "flaky" ? "note" : outcome === "expected" ? "pale" : "bad";
  return `<li data-text="${escaped(name.toLowerCase())}" data-kind="${kindOf(outcome)}">${
    badge(outcomeText({ outcome, status }), kind)
  } <strong>${escaped(last)}</strong>${tries}${message && pre(message)}</li>`;
}
