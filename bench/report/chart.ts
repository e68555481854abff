import { init } from "echarts";
import type { Figure } from "../figure.ts";

/** Colours of a page's background. */
export type Theme = "light" | "dark";

/** One machine's bars: a value for each figure's name; a name without one was not measured there. */
export interface Series {
  readonly machine: string;
  readonly figures: ReadonlyMap<string, Figure>;
}

/** Colours of what is drawn, by the page's background. */
export const COLOURS: Readonly<Record<Theme, { text: string; line: string; goal: string; bars: string[] }>> = {
  light: { text: "#24292f", line: "#d0d7de", goal: "#57606a", bars: ["#2563c9", "#c2570c", "#1a7f5a"] },
  dark: { text: "#e6edf3", line: "#3d444d", goal: "#9198a1", bars: ["#6ea8ff", "#f59e5b", "#4cc38a"] },
};
const WIDTH = 860, ROW = 20, AROUND = 84;
/** Width of a letter of a figure's name, ample: the reader's font is not known here. */
const LETTER = 7.6;
/** Longer bars end here, and their labels tell the value: one figure far off its goal must not flatten the others. */
const LONGEST = 3;

/** Draws each figure over its goal, one bar a machine: what ends left of the line meets the goal. */
export function chartOf(names: readonly string[], series: readonly Series[], theme: Theme): string {
  const colours = COLOURS[theme], height = AROUND + names.length * (8 + ROW * series.length);
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  const text = { color: colours.text, fontFamily: "sans-serif", fontSize: 12 };
  chart.setOption({
    animation: false,
    color: colours.bars,
    textStyle: text,
    legend: { top: 4, left: 8, textStyle: text, itemWidth: 12 },
    grid: { left: 12 + LETTER * Math.max(...names.map(({ length }) => length)), right: 100, top: 34, bottom: 30 },
    xAxis: {
      type: "value",
      min: 0,
      name: "of the goal",
      nameTextStyle: text,
      axisLabel: { ...text, formatter: "{value} ×" },
      splitLine: { lineStyle: { color: colours.line } },
    },
    yAxis: { type: "category", inverse: true, data: [...names], axisLabel: text, axisTick: { show: false } },
    series: series.map((each, index) => barsOf(names, each, index, colours, text)),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return steadyNames(svg);
}

function barsOf(
  names: readonly string[],
  { machine, figures }: Series,
  index: number,
  colours: typeof COLOURS[Theme],
  text: object,
) {
  const shown = names.map((name) => figures.get(name));
  return {
    type: "bar" as const,
    name: machine,
    data: shown.map((figure) => figure === undefined ? "-" : Math.min(LONGEST, figure.value / figure.goal!)),
    barMaxWidth: ROW - 6,
    label: {
      ...text,
      show: true,
      position: "right" as const,
      formatter: ({ dataIndex }: { dataIndex: number }) => labelOf(shown[dataIndex]),
    },
    markLine: index > 0 ? undefined : {
      silent: true,
      symbol: "none",
      label: { show: false },
      lineStyle: { color: colours.goal, type: "dashed" as const, width: 1.5 },
      data: [{ xAxis: 1 }],
    },
  };
}

function labelOf(figure: Figure | undefined): string {
  if (figure === undefined) return "";
  const beyond = figure.value > LONGEST * figure.goal! ? "→ " : "";
  return `${beyond}${shortNumber(figure.value)} ${figure.unit}`.trim();
}

/** A number as people read it: two digits behind the point below ten, else one. */
export function shortNumber(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

/** The library numbers its names through the process: the same chart gets the same text. */
export function steadyNames(svg: string): string {
  return svg.replace(/\bzr\d+-/g, "zr-");
}
