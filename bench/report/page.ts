import type { Figure } from "../figure.ts";
import { chartOf, type Series, shortNumber, type Theme } from "./chart.ts";
import { growthChart } from "./growth_chart.ts";
import type { MachineRecord } from "./record.ts";

/** The folder of the charts, beside the page. */
const CHARTS = "docs/benchmarks";
const THEMES: readonly Theme[] = ["light", "dark"];

const HEAD = `# Benchmarks

<!-- Written by \`deno task bench --report\` from the records of the machines: change those. -->

A bar is a figure over its goal: what ends left of the dashed line meets the goal. Ratios are of two things measured in
turn in one process. A bar that would be longer than three goals ends there, with an arrow. [Performance](performance.md) says what the figures mean for a program.

Goals in nanoseconds and milliseconds are those for two cores of AMD EPYC. The two cores of Intel Xeon are shared with
other machines: ratios of two things measured in turn differ by up to a fifth from run to run there.
`;

/** The largest costs of figures that miss their goals, by group: what V8's profiler showed on two cores. */
const PROFILES: Readonly<Record<string, string>> = {
  calls:
    "A call passes one argument more than a plain symbol takes, the command's place in the table of its object, and " +
    "jumps through that table: two loads, of which the second waits for the first, as in the C loader's trampoline.",
  layers:
    "On the smallest driver a pair with both hooked takes 90 ns more in raw form. Near half of that reads and keeps the " +
    "handle, by which one that nobody made is refused. From native code, one hooked command takes 75 ns more; code " +
    "for each command's link alone changes nothing for many.",
  structs:
    "Objects like those of `decode_dependency`, made by hand without any 64-bit number, take 20 times as long as C: " +
    "five objects and four arrays are allocated each time. Making the objects is 45 % of `encode_dependency`, and a " +
    "walk over the objects' keys, which alone finds a key that is no member, a quarter; of `encode_buffer` a third.",
  recording:
    "On a driver that does nothing, a call takes 20 ns, a hook that passes it on 16 more, apiProfile() 90, of " +
    "which two reads of the clock are most, and a trace file 210, for two packets beside.",
  "composers in other processes": "A frame is two round trips, which take 30 µs each between two processes in C. " +
    "Beside that the server's thread works 120 µs a frame, a third of it in nine calls of the system, and the client's " +
    "65 µs, both by the processor's clock.",
  "front door":
    "85 % of the time to the first buffer is V8, which parses, compiles and interprets code that runs once; " +
    "the longest single part is Deno's dlopen, 8 %.",
  composition: "`compose_ts_vs_c`: JavaScript mixes one pixel at a time, pixman several by vector instructions; two " +
    "loops over the wallpaper's pixels are half of it, and the video's conversion a quarter. The same arithmetic in " +
    "another order, or in one loop, takes as long or longer: 2.6 ns a pixel to mix rows, 4 ns to mix columns.",
  growth:
    "Layers: V8 compiles the calls of eight layers as a few functions, at 15 ns a layer; of more layers it inlines " +
    "less, and each takes up to 30 ns, which is the greater half of the sizes.",
};

/** Writes the page and its charts from the records: paths in the project → texts. */
export function reportFiles(records: readonly MachineRecord[], groups: readonly string[]): Map<string, string> {
  const files = new Map<string, string>(), parts = [HEAD, machineTable(records)];
  for (const group of groups) {
    const series = seriesOf(records, group);
    if (series.length === 0) continue;
    const charts = chartsOf(group, series);
    for (const [path, text] of charts) files.set(path, text);
    const profile = PROFILES[group] === undefined ? [] : [`${PROFILES[group]}\n`];
    parts.push(`## ${group}\n`, ...pictureOf(group, charts), ...profile, figureTable(series));
  }
  files.set("docs/benchmarks.md", parts.join("\n"));
  return files;
}

function seriesOf(records: readonly MachineRecord[], group: string): Series[] {
  return records.filter(({ groups }) => group in groups).map(({ machine, groups }) => ({
    machine,
    figures: new Map(groups[group].figures.map((figure) => [figure.name, figure])),
  }));
}

/** Every figure that some machine measured, in the order of measuring. */
function figuresOf(series: readonly Series[]): Figure[] {
  const found = new Map<string, Figure>();
  for (const { figures } of series) for (const [name, figure] of figures) found.set(name, found.get(name) ?? figure);
  return [...found.values()];
}

function chartsOf(group: string, series: readonly Series[]): [string, string][] {
  const names = figuresOf(series).filter(({ goal }) => goal).map(({ name }) => name);
  const grown = [...series[0].figures.values()].filter(({ points }) => points);
  return [
    ...names.length === 0 ? [] : themed(slug(group), (theme) => chartOf(names, series, theme)),
    ...grown.length === 0 ? [] : themed(`${slug(group)}_lines`, (theme) => growthChart(grown, theme)),
  ];
}

function themed(name: string, draw: (theme: Theme) => string): [string, string][] {
  return THEMES.map((theme) => [`${CHARTS}/${name}_${theme}.svg`, draw(theme)]);
}

function pictureOf(group: string, charts: readonly [string, string][]): string[] {
  const paths = charts.map(([path]) => path.slice("docs/".length));
  return paths.filter((path) => path.endsWith("_light.svg")).map((light) =>
    `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="${light.replace("_light", "_dark")}">
  <img alt="${
      light.includes("_lines") ? "costs by size" : `the figures of ${group}, each over its goal`
    }" src="${light}">
</picture>
`
  );
}

function machineTable(records: readonly MachineRecord[]): string {
  const rows = records.map(({ machine, versions, groups }) => [
    machine,
    Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(", "),
    daysOf(Object.values(groups).map(({ date }) => date)),
  ]);
  return markdownTable(["machine", "versions", "measured"], rows);
}

function daysOf(dates: readonly string[]): string {
  const days = [...new Set(dates)].sort();
  return days.length < 2 ? days.join() : `${days[0]} to ${days.at(-1)}`;
}

function figureTable(series: readonly Series[]): string {
  const rows = figuresOf(series).map(({ name, meaning, goal, unit }) => [
    `\`${name}\``,
    meaning,
    goal === undefined ? "" : `≤ ${goal} ${unit}`.trim(),
    ...series.map(({ figures }) => valueOf(figures.get(name))),
  ]);
  return markdownTable(["figure", "meaning", "goal", ...series.map(({ machine }) => machine)], rows);
}

/** A value; one above its goal is bold. */
function valueOf(figure: Figure | undefined): string {
  if (figure === undefined) return "";
  const text = `${shortNumber(figure.value)} ${figure.unit}`.trim();
  return figure.goal !== undefined && figure.value > figure.goal ? `**${text}**` : text;
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}

function slug(group: string): string {
  return group.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}
