import { init } from "echarts";
import type { Figure } from "../figure.ts";
import { COLOURS, steadyNames, type Theme } from "./chart.ts";

const WIDTH = 860, HEIGHT = 520;
/** The bottom of the chart: the names of lines that do not grow need room below them. */
const LEAST = 0.01;
const MORE_COLOURS = [
  "#8b5cf6",
  "#d6336c",
  "#0c8599",
  "#a67c00",
  "#5c7cfa",
  "#868e96",
  "#e8590c",
  "#2b8a3e",
  "#c2255c",
];

/** Draws costs by size, each beside its cost at the smallest size: a line along the bottom does not grow. */
export function growthChart(figures: readonly Figure[], theme: Theme): string {
  const colours = COLOURS[theme], text = { color: colours.text, fontFamily: "sans-serif", fontSize: 12 };
  const axis = (name: string) => ({
    type: "log" as const,
    name,
    nameTextStyle: text,
    nameLocation: "middle" as const,
    nameGap: 34,
    axisLabel: text,
    splitLine: { lineStyle: { color: colours.line } },
  });
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption({
    animation: false,
    color: [...colours.bars, ...MORE_COLOURS],
    textStyle: text,
    grid: { left: 64, right: 190, top: 16, bottom: 52 },
    xAxis: axis("size"),
    yAxis: { ...axis("cost, beside that at the smallest size"), min: LEAST },
    series: figures.map((figure) => lineOf(figure, text)),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return steadyNames(svg);
}

function lineOf({ name, points = [] }: Figure, text: object) {
  const label = name.replace("growth_", "").replaceAll("_", " ");
  return {
    type: "line" as const,
    name: label,
    data: points.map(([size, cost]) => [size, cost / points[0][1]]),
    symbolSize: 5,
    endLabel: { ...text, show: true, formatter: label },
    labelLayout: { moveOverlap: "shiftY" as const },
  };
}
