/** Data without measured times, which differ from run to run: `seconds`, `measured`, and milliseconds in texts. */
export function withTimesLeftOut<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (name, each) => {
      if (name === "seconds" || name === "time") return 0;
      return name === "measured" ? Object.keys(each).sort() : each;
    }),
  );
}
