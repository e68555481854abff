// A recording as a page: the events at the left, and what a driver had at the chosen one at the right.
import { Buffers } from "./buffers.js";
import { counted, make, part, sentence, sizeText } from "./dom.js";
import { badge } from "./event_row.js";
import { Events } from "./events.js";
import { History } from "./history.js";
import { Mesh } from "./mesh.js";
import { Pictures } from "./pictures.js";
import { ask, hasAnswer, isSealed, nextChoice } from "./source.js";
import { State } from "./state.js";
import { tree } from "./tree.js";

/** Gaps that have a mark, milliseconds that a moving choice rests before its event is asked for, and the panels. */
const MOST_MARKS = 200, REST = 90;
const PANELS = [["pictures", "Pictures"], ["state", "State"], ["buffers", "Buffers"], ["mesh", "Mesh"], [
  "history",
  "History",
], ["parameters", "Parameters"]];

/** The facts that the panels share. */
const app = {
  event: -1,
  drivers: [],
  whyNoDriver: "No driver replays this recording, so that there are no contents to show.",
  texel: undefined,
  panel: "pictures",
  open(panel, thing) {
    if (panel === "buffers") Object.assign(app.buffers.view, { buffer: thing, way: 0, part: 0 });
    else {Object.assign(app.pictures.view, {
        image: thing.resource,
        aspect: thing.image.aspect,
        level: thing.image.level,
      });}
    showPanel(panel);
  },
};
let facts, resting, stop = new AbortController();

start().catch((error) => notice(error.message, "error"));

async function start() {
  const [about, table] = await Promise.all([ask("about"), ask("events")]);
  showAbout(about);
  app.events = new Events(table, about.gaps.slice(0, MOST_MARKS), choose);
  makePanels();
  listen();
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (PANELS.some(([name]) => name === wanted.get("panel"))) app.panel = wanted.get("panel");
  showPanel(app.panel);
  if (app.events.count === 0) return notice("The recording has no event that a device carries out.", "note");
  app.events.choose(
    wanted.has("event") && Number(wanted.get("event")) < app.events.count
      ? Number(wanted.get("event"))
      : app.events.first,
  );
  if (wanted.has("event")) document.body.dataset.view = "details"; // on a phone, where one of the two is seen
  await startDrivers(about);
}

function showAbout({ recording, state, devices, frames, framesEndAt, size, gaps }) {
  const name = recording.split("/").at(-1);
  document.title = `${name} – Pumice view`;
  part("title").textContent = name;
  part("title").title = [
    recording,
    sizeText(size),
    `${counted(frames, "frame")}, which end at ${framesEndAt}`,
    ...devices.map(({ deviceName = "an unnamed device", apiVersion }) =>
      `recorded on ${deviceName}, Vulkan ${apiVersion}`
    ),
  ].join("\n");
  if (state !== "whole") notice(`The file is ${state} since it was written: what is missing cannot be seen.`, "error");
  if (gaps.length === 0) return;
  const list = make(
    "ul",
    {},
    ...gaps.slice(0, MOST_MARKS).map(({ line, sentence: text }) => make("li", { text: `line ${line}: ${text}` })),
  );
  const more = gaps.length > MOST_MARKS ? [sentence(`and ${gaps.length - MOST_MARKS} more`)] : [];
  part("notices").append(
    make(
      "details",
      { class: "notice error" },
      make("summary", {
        text: `The recorder did not see ${counted(gaps.length, "thing")}, so that a replay may be refused.`,
      }),
      list,
      ...more,
    ),
  );
}

function notice(text, kind) {
  part("notices").append(make("p", { class: `notice ${kind}`, role: kind === "error" ? "alert" : undefined, text }));
}

/** Asks who the drivers are, which starts them. */
async function startDrivers({ drivers: names, validates }) {
  app.drivers = names;
  part("drivers").replaceChildren(...names.map((name, side) => driverPart(side, name, "starts", "wait")));
  if (names.length === 0) return show();
  show();
  try {
    const found = await ask("drivers");
    part("drivers").replaceChildren(
      ...found.map((each, side) =>
        driverPart(side, each.deviceName, `${names[side]}\n${each.driver}\nVulkan ${each.apiVersion}`, "good")
      ),
    );
  } catch (error) {
    part("drivers").replaceChildren(...names.map((name, side) => driverPart(side, name, "cannot replay", "bad")));
    return notice(`The recording cannot be replayed: ${error.message}`, "error");
  }
  part("difference").hidden = names.length < 2;
  part("times").hidden = false;
  part("validate").hidden = !validates || isSealed;
  if (isSealed && hasAnswer("times", { side: 0 })) await showTimes();
}

/** Asks how long events took on A, which replays the recording as a whole. */
async function showTimes() {
  const button = part("times");
  if (button.hidden || button.disabled) return;
  button.disabled = true;
  try {
    app.events.showTimes(new Map(await ask("times", { side: 0 })));
    button.setAttribute("aria-pressed", "true");
  } catch (error) {
    notice(`The times are not known: ${error.message}`, "error");
    button.disabled = false;
  }
}

/** Marks what the validation layer says of a replay at its lines. */
async function validate() {
  const button = part("validate");
  if (button.hidden || button.disabled) return;
  button.disabled = true;
  try {
    const messages = await ask("messages");
    for (const { line, text } of messages.slice(0, MOST_MARKS)) app.events.mark(line, "message", text);
    button.setAttribute("aria-pressed", "true");
    const told = messages.length === 0
      ? "nothing"
      : `${counted(messages.length, "error")}, marked at ${messages.length === 1 ? "its line" : "their lines"}`;
    notice(`The validation layer says ${told}.`, messages.length === 0 ? "good" : "error");
    app.events.choose(app.event); // which the notice may have moved out of sight
  } catch (error) {
    notice(`The recording cannot be validated: ${error.message}`, "error");
    button.disabled = false;
  }
}

function driverPart(side, name, title, state) {
  return make(
    "li",
    { "data-state": state, title },
    make("b", { text: "AB"[side] }),
    make("span", { text: name.split("/").at(-1) }),
  );
}

function makePanels() {
  part("tabs").replaceChildren(
    ...PANELS.map(([name, text]) =>
      make("button", {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": name,
        text,
        onclick: () => showPanel(name),
      })
    ),
  );
  part("panels").replaceChildren(
    ...PANELS.map(([name]) =>
      make("div", { id: name, role: "tabpanel", "aria-labelledby": `tab-${name}`, tabindex: -1, hidden: true })
    ),
  );
  app.pictures = new Pictures(part("pictures"), app);
  app.state = new State(part("state"), app);
  app.buffers = new Buffers(part("buffers"), app);
  app.mesh = new Mesh(part("mesh"), app);
  app.history = new History(part("history"), app);
  app.parameters = {
    show: ({ parameters, answers }) =>
      part("parameters").replaceChildren(
        tree(parameters),
        ...answers.length > 0 ? [make("h3", { text: "Answers" }), tree(answers)] : [],
      ),
  };
}

/** Shows the chosen event: at once what is known, its facts a little later while the choice still moves. */
function choose(id) {
  app.event = id;
  nextChoice();
  const { events } = app, line = events.lineOf(id), time = events.timeOf(id);
  part("event-name").replaceChildren(badge(events.kindOf(id)), ` ${events.nameOf(id)}`);
  part("event-path").textContent = [
    ...events.pathOf(id),
    `event ${id}`,
    ...line > 0 ? [`line ${line}`] : [],
    ...time === undefined ? [] : [`${time.toFixed(3)} ms`],
  ].join(" › ");
  part("event-marks").replaceChildren(
    ...events.marksOf(id).map(({ text, line, kind }) =>
      sentence(`${kind === "gap" ? "Not seen by the recorder" : "Validation"}, line ${line}: ${text}`, "error")
    ),
  );
  remember();
  clearTimeout(resting);
  resting = setTimeout(load, performance.now() - lastChoice < REST ? REST : 0);
  lastChoice = performance.now();
}
let lastChoice = -REST;

async function load() {
  stop.abort();
  const { signal } = stop = new AbortController();
  try {
    const found = await ask("event", { event: app.event }, signal);
    if (signal.aborted) return;
    facts = found;
    show();
  } catch (error) {
    if (!signal.aborted) part("event-marks").replaceChildren(sentence(error.message, "error"));
  }
}

function show() {
  if (facts) app[app.panel].show(facts);
}

function showPanel(name) {
  app.panel = name;
  for (const [each] of PANELS) {
    part(each).hidden = each !== name;
    part(`tab-${each}`).setAttribute("aria-selected", `${each === name}`);
    part(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
  remember();
  show();
}

function remember() {
  history.replaceState(null, "", `#${new URLSearchParams({ event: app.event, panel: app.panel })}`);
}

async function goToDifference() {
  const button = part("difference");
  if (button.hidden || button.disabled) return;
  button.disabled = true;
  button.textContent = "Comparing …";
  try {
    const id = await ask("difference");
    if (id < 0) notice("The two drivers differ after no event.", "good");
    else {
      app.events.showDifference(id);
      app.events.choose(id);
      if (app.pictures.view.show === "one") app.pictures.view.show = "slider";
    }
  } catch (error) {
    notice(`The drivers cannot be compared: ${error.message}`, "error");
  }
  button.textContent = "First difference";
  button.disabled = false;
}

function listen() {
  part("difference").onclick = goToDifference;
  part("times").onclick = showTimes;
  part("validate").onclick = validate;
  part("back").onclick = showEvents;
  part("details").addEventListener("wanted", showDetails);
  part("fold").onclick = ({ currentTarget }) => {
    const isFolded = currentTarget.getAttribute("aria-pressed") !== "true";
    currentTarget.setAttribute("aria-pressed", `${isFolded}`);
    app.events.foldAll(isFolded);
  };
  part("keys").onclick = ({ currentTarget }) => {
    const list = part("keys-list");
    list.hidden = !list.hidden;
    currentTarget.setAttribute("aria-expanded", `${!list.hidden}`);
  };
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", ({ target }) => target.closest("#kinds") || part("kinds").removeAttribute("open"));
}

const KEYS = {
  ArrowDown: () => app.events.move(1),
  ArrowUp: () => app.events.move(-1),
  PageDown: () => app.events.move(20),
  PageUp: () => app.events.move(-20),
  ArrowLeft: () => app.events.fold(true),
  ArrowRight: () => app.events.fold(false),
  Enter: showDetails,
  Escape: showEvents,
  n: () => app.events.moveToWork(1),
  p: () => app.events.moveToWork(-1),
  "[": () => (app.panel === "buffers" ? app.buffers : app.pictures).choose("before"),
  "]": () => (app.panel === "buffers" ? app.buffers : app.pictures).choose("after"),
  "/": () => {
    showEvents();
    part("search").select();
  },
  f: goToDifference,
  t: showTimes,
  v: validate,
};

function onKey(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target === part("search") && (key === "Escape" || key === "Enter" || key === "ArrowDown")) {
    if (key === "Escape") app.events.search(target.value = "");
    part("list").focus();
    if (key !== "Escape") app.events.move(key === "ArrowDown" ? 1 : 0);
    return event.preventDefault();
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== "checkbox") return;
  if (target.getAttribute("role") === "tab" && /^Arrow(Left|Right)$/.test(key)) return moveTab(event);
  if (/^(BUTTON|SUMMARY)$/.test(target.tagName) && key === "Enter") return;
  if (part("details").contains(target) && /^(Arrow|Page)/.test(key)) return; // scrolls the panel
  const act = KEYS[key.length === 1 ? key.toLowerCase() : key] ??
    (PANELS[key - 1] && (() => showPanel(PANELS[key - 1][0])));
  if (!act) return;
  event.preventDefault();
  act();
}

function moveTab(event) {
  const at = PANELS.findIndex(([name]) => name === app.panel),
    step = event.key === "ArrowRight" ? 1 : PANELS.length - 1;
  showPanel(PANELS[(at + step) % PANELS.length][0]);
  part(`tab-${app.panel}`).focus();
  event.preventDefault();
}

/** On a phone the details take the place of the list. */
function showDetails() {
  document.body.dataset.view = "details";
  part(app.panel).focus({ preventScroll: true });
}

function showEvents() {
  document.body.dataset.view = "events";
  part("list").focus({ preventScroll: true });
}

if (isSealed) document.body.classList.add("sealed");
