import { init } from "echarts";
import { COLOURS, steadyNames } from "../report/chart.ts";
import { HELD, type Held, type Holdings } from "./holdings.ts";

const WIDTH = 860, ROW = 130, TOP = 30;

/** Draws each of the holdings through the samples, in a row with a scale of its own. */
export function soakChart(samples: readonly Holdings[]): string {
  const colours = COLOURS.light, text = { color: colours.text, fontFamily: "sans-serif", fontSize: 12 };
  const held = Object.keys(HELD) as Held[];
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: TOP + held.length * ROW });
  chart.setOption({
    animation: false,
    color: colours.bars,
    textStyle: text,
    title: held.map((name, row) => ({ text: titleOf(name), textStyle: text, left: 8, top: row * ROW })),
    grid: held.map((_, row) => ({ left: 80, right: 16, top: TOP + row * ROW, height: ROW - 60 })),
    xAxis: held.map((_, gridIndex) => ({ gridIndex, type: "category" as const, data: samples.map((_, n) => n + 1) })),
    yAxis: held.map((_, gridIndex) => ({
      gridIndex,
      type: "value" as const,
      scale: true,
      axisLabel: text,
      splitNumber: 3,
    })),
    series: held.map((name, row) => ({
      type: "line" as const,
      xAxisIndex: row,
      yAxisIndex: row,
      data: samples.map((sample) => sample[name]),
      symbolSize: 3,
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return steadyNames(svg);
}

function titleOf(name: Held): string {
  return HELD[name] === "" ? name : `${name}, ${HELD[name]}`;
}
