// Windows over the page: help and agreement.

import { get } from "./api.js";
import { el, fill, key } from "./dom.js";

const REFRESH = 4000;

function open(name, title, ...content) {
  document.querySelector("dialog")?.close();
  const close = el("button", { type: "button", class: "plain", on: { click: () => dialog.close() } }, "Close");
  const dialog = el("dialog", { class: `panel ${name}`, "aria-label": title }, el("h2", {}, title), content,
    el("div", { class: "foot" }, close));
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (["Enter", "?", "g"].includes(event.key)) {
      event.preventDefault();
      dialog.close();
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function help(pairs, intro) {
  const rows = pairs.map(([keys, what]) => el("tr", {}, el("th", {}, keys.split(" ").map(key)), el("td", {}, what)));
  open("help", "Keys", intro && el("p", { text: intro }), el("table", {}, el("tbody", {}, rows)));
}

export async function agreement() {
  const place = el("div", { class: "alphas" }, el("p", {}, "One moment …"));
  const dialog = open("agreement", "Agreement", el("p", { class: "soft" }, "Krippendorff’s alpha, as far as items have been "
    + "rated by two annotators. 1 is perfect agreement, 0 what chance would give."), place);
  const draw = async () => {
    try {
      fill(place, table((await get("/api/agreement")).alphas));
    } catch (problem) {
      fill(place, el("p", { class: "bad", text: problem.message }));
    }
  };
  await draw();
  const timer = setInterval(draw, REFRESH);
  dialog.addEventListener("close", () => clearInterval(timer));
}

function table(alphas) {
  if (!alphas.length) return el("p", {}, "Nobody has saved an answer yet.");
  const heads = ["", "alpha", "annotators", "items with two", "answers"];
  const rows = alphas.map((one) => el("tr", { data: { dimension: one.dimension } },
    el("th", { text: one.dimension.replaceAll("_", " ") }),
    el("td", { class: "alpha" }, one.alpha === null ? el("span", { class: "soft", text: one.note }) : one.alpha.toFixed(3)),
    [one.annotators, one.items, one.ratings].map((number) => el("td", {}, `${number}`))));
  return el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", {}, head)))), el("tbody", {}, rows));
}
