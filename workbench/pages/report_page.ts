import { escaped, wholePage } from "./page_parts.ts";

/** A page about a run. */
export interface ReportPage {
  /** The title, as text. */
  readonly title: string;
  /** Whether all is as expected. */
  readonly isGood: boolean;
  /** The names and values below the title, as text. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The sections, as HTML. */
  readonly sections: readonly string[];
}

/** Returns a report as one file of HTML that needs no other file and no network. */
export function reportPage({ title, isGood, facts, sections }: ReportPage): string {
  const body = `<a class="skip" href="#main">To the results</a>
<header><h1><span class="badge ${isGood ? "good" : "bad"}">${isGood ? "passed" : "failed"}</span> ${escaped(title)}</h1>
<dl>${facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("")}</dl></header>
<main id="main">
${sections.filter(Boolean).join("\n")}
</main>`;
  return wholePage({ title, body, style: REPORT_STYLE, script: REPORT_SCRIPT });
}

/** A section with a heading that names it. */
export function section(id: string, heading: string, inside: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escaped(heading)}</h2>\n${inside}\n</section>`;
}

/** A table that scrolls by itself. `head` and the cells of `rows` are HTML; the first cell of a row is its head. */
export function table(caption: string, head: readonly string[], rows: readonly string[]): string {
  return `<div class="wide" tabindex="0" role="region" aria-label="${escaped(caption)}"><table>
<caption class="unseen">${escaped(caption)}</caption>
<thead><tr>${head.map((each) => `<th scope="col">${each}</th>`).join("")}</tr></thead>
${rows.join("\n")}</table></div>`;
}

/** A kind as one word, since the kinds of an element are parted by spaces. */
export function kindOf(outcome: string): string {
  return outcome.replaceAll(" ", "-");
}

/** A search field, and a choice of kinds by their words, for the elements beside that have `data-text` and `data-kind`. */
export function filters(what: string, kinds: Readonly<Record<string, string>>, count: number): string {
  const options = Object.entries(kinds).map(([kind, word]) => {
    return `<option value="${escaped(kind)}">${escaped(word)}</option>`;
  }).join("");
  return `<form class="filters" role="search"><label>Search <input type="search" autocomplete="off"></label>
<label>Show <select><option value="">all</option>${options}</select></label>
<output role="status">${count} ${escaped(what)}</output></form>`;
}

/** A word for a status, which has a colour, too. */
export function badge(word: string, kind: "good" | "bad" | "pale" | "note"): string {
  return `<span class="badge ${kind}">${escaped(word)}</span>`;
}

const REPORT_STYLE = `
:root { --good: #16692b; --bad: #a3211b; --note: #7a4b00; --good-back: #dff3e3; --bad-back: #fbe3e1; --note-back: #fbeccd; }
@media (prefers-color-scheme: dark) { :root { --good: #7fdc95; --bad: #ff9d95; --note: #f2c069; --good-back: #173d20;
  --bad-back: #4f1916; --note-back: #47330b; } }
:root { --pale: #5d626a; } @media (prefers-color-scheme: dark) { :root { --pale: #a5acb6; } }
.badge { display: inline-block; padding: 0 .5em; border-radius: 1em; background: var(--card); border: 1px solid var(--line);
  color: var(--pale); font: 600 .85em/1.6 system-ui, sans-serif; white-space: nowrap; }
.badge.good { color: var(--good); background: var(--good-back); border-color: transparent; }
.badge.bad { color: var(--bad); background: var(--bad-back); border-color: transparent; }
.badge.note { color: var(--note); background: var(--note-back); border-color: transparent; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .3rem .6rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .5rem 0; }
.filters input, .filters select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: .25rem .5rem; max-width: 100%; }
.filters output { color: var(--pale); }
section > .wide { max-height: 70vh; padding: 0; }
@media (max-width: 40rem) { /* rows with long texts, from top to bottom instead of side by side */
  table:has(td.text), table:has(td.text) :is(tbody, tr:not([hidden])) { display: block; min-width: 0; }
  table:has(td.text) thead { display: none; } table:has(td.text) td.text { display: block; min-width: 0; }
  section > .wide table:has(td.text) :is(th, td) { border: 0; } table:has(td.text) tr { border-bottom: 1px solid var(--line); }
  table:has(td.text) :is(th, td:not(.text)) { display: inline-block; } table:has(td.text) td:empty { display: none; } }
section > .wide table { font: 14px/1.5 system-ui, sans-serif; width: 100%; }
section > .wide :is(td, th) { padding: .3rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--card); z-index: 1; }
tbody th { white-space: normal; min-width: 8rem; color: var(--front); } tbody .group th { color: var(--pale);
  font-size: .9em; padding-top: .8rem; }
td a { color: inherit; } td.text { white-space: normal; min-width: 11rem; overflow-wrap: anywhere; } tbody th.short { min-width: 3rem; white-space: nowrap; } .number { font-variant-numeric: tabular-nums; }
article, .fold { border: 1px solid var(--line); border-radius: 8px; margin: .75rem 0; }
article { padding: .75rem 1rem 1rem; } article h3 { font-size: 1rem; margin: 0 0 .35rem; } article h4 { font-size: .95rem; margin: 1rem 0 .25rem; }
article:target { outline: 2px solid var(--strong); } .fold > summary { padding: .5rem .9rem; } .fold .fold { margin: .4rem .6rem; }
.fold > :not(summary, .fold) { margin: .25rem .9rem; } .fold > ul { padding-left: 1.2rem; } article pre { max-height: 22rem; overflow: auto; }
.bar { display: inline-block; vertical-align: middle; width: 10rem; max-width: 40vw; height: .7rem; border-radius: .35rem;
  background: var(--line); overflow: hidden; } .bar i { display: block; height: 100%; background: var(--good); }
.bar.over i { background: var(--bad); } .history { font: 600 13px/1.4 ui-monospace, monospace; letter-spacing: .15em; }
.history .bad { color: var(--bad); } .history .good { color: var(--good); } a { color: inherit; }
[hidden] { display: none !important; }
@media (max-width: 30rem) { body { padding: 1rem .75rem 3rem; } article { padding: .6rem .7rem .8rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .35rem; } td.text { min-width: 9rem; } tbody th { min-width: 5rem; } section > .wide :is(td, th) { padding: .3rem .45rem; } }
`;

const REPORT_SCRIPT = `
for (const form of document.querySelectorAll(".filters")) {
  const all = [...form.parentElement.querySelectorAll("[data-text]")], told = form.querySelector("output");
  const words = told.value.replace(/^\\d+ /, ""), search = form.querySelector("input"), kind = form.querySelector("select");
  const apply = () => {
    const text = search.value.trim().toLowerCase();
    let shown = 0;
    for (const each of all) {
      const fits = each.dataset.text.includes(text) && (kind.value === "" || each.dataset.kind.split(" ").includes(kind.value));
      each.hidden = !fits;
      shown += fits;
    }
    for (const group of form.parentElement.querySelectorAll("[data-group]")) {
      group.hidden = !group.querySelector("[data-text]:not([hidden])");
      if ("open" in group && text !== "") group.open = !group.hidden;
    }
    told.value = shown === all.length ? shown + " " + words : shown + " of " + all.length + " " + words;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
}
`;
