// The head of the page: what this is, how far one has come, who one is.

import { el, fill } from "./dom.js";
import { agreement } from "./panels.js";

export function drawBar(about, annotator, done, total, showHelp, leave) {
  const share = total ? Math.round((1000 * done) / total) / 10 : 0;
  const meter = el("div", {
    class: "meter", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": total, "aria-valuenow": done, "aria-label": "Done",
  }, el("i"));
  meter.firstChild.style.width = `${share}%`;
  fill(document.getElementById("bar"),
    el("h1", { text: about.title }), about.run && el("span", { class: "run", text: about.run }),
    annotator && el("div", { class: "progress" }, el("span", { id: "count" }, `${done} of ${total}`), meter),
    annotator && el("div", { class: "who" },
      el("span", { class: "name", text: annotator, title: "Annotator" }),
      el("button", { type: "button", class: "plain", on: { click: leave } }, "Change"),
      el("button", { type: "button", class: "plain", on: { click: agreement } }, "Agreement"),
      el("button", { type: "button", class: "plain", "aria-label": "Keys", on: { click: showHelp } }, "?")));
}
