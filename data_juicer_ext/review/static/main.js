// The first thing that runs: who is there, then the page of the mode.

import { get, post } from "./api.js";
import { AuditPage } from "./audit.js";
import { drawBar } from "./bar.js";
import { el, fill, tell } from "./dom.js";
import { RatePage } from "./rate.js";

const NAME = "annotator";
let page = null;

function leave() {
  sessionStorage.removeItem(NAME);
  page?.stop();
  page = null;
  ask();
}

let about;

function ask(problem = "") {
  drawBar(about, "", 0, 0, null, null);
  fill(document.getElementById("keys"));
  const field = el("input", { id: "name", maxlength: 60, autocomplete: "off", spellcheck: "false" });
  const form = el("form", { on: { submit: (event) => { event.preventDefault(); start(field.value); } } },
    el("label", { for: "name" }, "Your name"), field,
    el("button", { type: "submit", class: "save ready" }, "Begin", el("kbd", {}, "Enter")));
  fill(document.getElementById("main"), el("section", { class: "screen" }, el("h2", { text: about.title }),
    about.intro && el("p", { text: about.intro }), form, problem && el("p", { class: "bad", text: problem }),
    el("p", { class: "soft" }, "The name stands beside your answers. Under the same name you go on where you left off.")));
  field.focus();
}

async function start(name) {
  let started;
  try {
    started = await post("/api/start", { annotator: name });
  } catch (problem) {
    ask(problem.message);
    return;
  }
  sessionStorage.setItem(NAME, started.annotator);
  page?.stop();
  const again = () => start(started.annotator);
  page = about.mode === "audit" ? new AuditPage(about, started, leave) : new RatePage(about, started, leave, again);
  page.begin();
}

async function main() {
  try {
    about = await get("/api/about");
  } catch (problem) {
    tell(problem.message, "bad");
    return;
  }
  document.title = about.title;
  const name = sessionStorage.getItem(NAME) || about.annotator;
  if (name) start(name);
  else ask();
}

main();
