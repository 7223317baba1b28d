// The cards that are rated: one is active, digits rate it, arrows and Tab move.

import { el, fill } from "./dom.js";

const SIDES = ["◀◀", "◀", "=", "▶", "▶▶"];

// What stands on a score's button: the score, its level's name, or a side with the key for it.
function face(ask, score, index) {
  if (ask.low < 0) return [el("span", { class: "side" }, SIDES[index]), el("small", {}, `${index + 1}`)];
  return ask.levels[score] ? [`${score}`, el("small", { text: ask.levels[score] })] : `${score}`;
}

export class Cards {
  // asks: what is asked; values: scores by key, changed in place; changed: called after each change.
  constructor(asks, values, changed) {
    Object.assign(this, { asks, values, changed, past: [] });
    this.active = Math.max(0, asks.findIndex((ask) => values[ask.key] === undefined));
    this.nodes = asks.map((ask, place) => this.card(ask, place));
    const alike = new Set(asks.map((ask) => ask.title)).size < asks.length; // criteria of one dimension
    this.node = el("div", { class: alike ? "cards told" : "cards" }, this.nodes);
    this.draw();
  }

  card(ask, place) {
    const scores = [];
    for (let score = ask.low; score <= ask.high; score += 1) scores.push(score);
    const buttons = scores.map((score, index) => el("button", {
      type: "button", role: "radio", tabindex: "-1", class: "score", title: ask.levels[score] || "",
      "aria-label": ask.levels[score] || `${score}`, data: { score },
      on: { click: () => { this.activate(place); this.set(score); } },
    }, face(ask, score, index)));
    const name = `ask-${place}`;
    return el("div", {
      class: "card", role: "radiogroup", tabindex: "0", "aria-labelledby": name, data: { key: ask.key },
      on: { focus: () => this.activate(place, false), mousedown: () => this.activate(place, false) },
    },
    el("div", { class: "head" }, el("h3", { id: name, text: ask.title }), el("span", { class: "level" })),
    el("p", { class: "question", text: ask.question }),
    el("div", { class: `scores of-${scores.length}` }, buttons),
    el("div", { class: "more" },
      ask.anchors.length ? el("dl", {}, ask.anchors.map(([score, text]) => [el("dt", {}, score), el("dd", { text })])) : null,
      ask.note ? el("p", { class: "note", text: ask.note }) : null));
  }

  draw() {
    this.nodes.forEach((node, place) => {
      const ask = this.asks[place];
      const score = this.values[ask.key];
      node.classList.toggle("active", place === this.active);
      node.classList.toggle("rated", score !== undefined);
      fill(node.querySelector(".level"), score === undefined ? "" : ask.levels[score] || `${score}`);
      for (const button of node.querySelectorAll(".score")) {
        button.setAttribute("aria-checked", String(Number(button.dataset.score) === score));
      }
    });
  }

  activate(place, focus = true) {
    this.active = Math.min(this.asks.length - 1, Math.max(0, place));
    this.draw();
    if (focus) {
      this.nodes[this.active].focus({ preventScroll: true });
      this.nodes[this.active].scrollIntoView({ block: "nearest" });
    }
  }

  // Rate the active card by a digit: 1 is the lowest score, 0 the tenth. True where there is such a score.
  digit(digit) {
    const ask = this.asks[this.active];
    const score = ask.low + (digit === 0 ? 10 : digit) - 1;
    if (score > ask.high) return false;
    this.set(score);
    return true;
  }

  step(by) {
    const ask = this.asks[this.active];
    const now = this.values[ask.key];
    const middle = Math.floor((ask.low + ask.high) / 2);
    this.put(ask.key, now === undefined ? middle : Math.min(ask.high, Math.max(ask.low, now + by)));
  }

  set(score) {
    this.put(this.asks[this.active].key, score);
    const open = this.open();
    if (open >= 0) this.activate(open);
  }

  put(name, score) {
    this.past.push([name, this.values[name]]);
    this.values[name] = score;
    this.draw();
    this.changed();
  }

  // The next card without a score, after the active one first; -1 where all have one.
  open() {
    const order = this.asks.map((_, step) => (this.active + step) % this.asks.length);
    const found = order.find((place) => this.values[this.asks[place].key] === undefined);
    return found === undefined ? -1 : found;
  }

  // Take back the last score given; false where there is none.
  undo() {
    const last = this.past.pop();
    if (!last) return false;
    const [name, before] = last;
    if (before === undefined) delete this.values[name];
    else this.values[name] = before;
    this.activate(this.asks.findIndex((ask) => ask.key === name));
    this.changed();
    return true;
  }
}
