// The composer's page: its displays as they are, and what can be asked of them.
import { DisplayView } from "./display.js";
import { start, tell, write } from "../../../wsi/web/page/live.js";

/** By the name of its window. */
const views = new Map();
/** Names of windows by number: frames come with numbers. */
const windows = new Map();
let isPaused = null;

function ask(request) {
  tell({ type: "ask", request });
}

/** All there is to know: what it does not name is gone. */
function take({ news }) {
  isPaused = news.isPaused;
  showTime();
  showPlugs(news.panels);
  for (const display of news.displays) {
    const view = viewOf(windowOf(display));
    if (!view.element.isConnected) document.getElementById("displays").append(view.element);
    view.take(display, news);
  }
  for (const [window, view] of views) {
    if (news.displays.some((display) => windowOf(display) === window)) continue;
    view.element.remove();
    views.delete(window);
  }
}

function windowOf({ number }) {
  return `display ${number}`;
}

/** A picture may come before the first news of its display: the view is put on the page with these. */
function viewOf(window) {
  let view = views.get(window);
  if (!view) {
    view = new DisplayView(ask);
    views.set(window, view);
  }
  return view;
}

function showTime() {
  const pause = document.getElementById("pause");
  pause.hidden = document.getElementById("step").hidden = isPaused === null;
  write(pause, isPaused ? "Resume" : "Pause");
  pause.classList.toggle("on", isPaused === true);
}

function showPlugs(panels) {
  const place = document.getElementById("plugs");
  if (place.dataset.panels === panels.join()) return;
  place.dataset.panels = panels.join();
  place.replaceChildren(...panels.map((name, panel) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plug";
    button.textContent = `Plug ${name}`;
    button.onclick = () => ask({ do: "plug", panel });
    return button;
  }));
}

function pause() {
  if (isPaused !== null) ask({ do: isPaused ? "resume" : "pause" });
}

function step() {
  if (isPaused !== null) ask({ do: "step" });
}

function outline() {
  const isOn = document.body.classList.toggle("bare");
  document.getElementById("outlines").setAttribute("aria-pressed", `${!isOn}`);
}

const KEYS = { " ": pause, s: step, o: outline };

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("select") || (event.key === " " && event.target.closest("button, input, summary"))) return;
  const act = KEYS[event.key.toLowerCase()], number = Number(event.key);
  if (act) act();
  else if (number > 0) views.values().next().value?.toggle(number - 1);
  else return;
  event.preventDefault();
});
document.getElementById("pause").onclick = pause;
document.getElementById("step").onclick = step;
document.getElementById("outlines").onclick = outline;

const drawAgain = () => views.forEach((view) => view.drawTimes());
addEventListener("resize", () => views.forEach((view) => view.drawAll()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAgain);

start({
  hello: ({ windows: all }) => all.forEach(({ id, name }) => windows.set(id, name)),
  window: ({ window: { id, name } }) => windows.set(id, name),
  frame: (frame, pixels) => viewOf(windows.get(frame.window)).draw(frame, pixels),
  news: take,
});
