// Mode rate: one item after the other, its figure, and what is asked about it.

import { get, post } from "./api.js";
import { drawBar } from "./bar.js";
import { blocks } from "./blocks.js";
import { Cards } from "./cards.js";
import * as clock from "./clock.js";
import { el, fill, keyList, tell } from "./dom.js";
import { figures, zoom } from "./figure.js";
import { agreement, help } from "./panels.js";
import { listen } from "./typing.js";

const KEYS = [["1 … 9 0", "score (0 is 10)"], ["↑ ↓", "other card (Tab too)"], ["← →", "one less, one more"],
  ["Enter", "save and go on"], ["z", "zoom"], ["c", "reason or remark"], ["u", "undo, then back"],
  ["n p", "next, previous"], ["g", "agreement"], ["?", "help"]];
const FOOT = [["1 … 9", "score"], ["↑ ↓", "move"], ["Enter", "save"], ["z", "zoom"], ["u", "undo"], ["?", "help"]];

export class RatePage {
  constructor(about, started, leave, again) {
    Object.assign(this, { about, leave, again, items: started.items, annotator: started.annotator });
    this.calibration = started.calibration;
    this.drafts = new Map();
    this.saved = [];
    this.help = () => help(KEYS, about.intro);
    this.stop = listen(this.keys());
    fill(document.getElementById("keys"), keyList(FOOT));
  }

  begin() {
    const open = this.items.findIndex((item) => !item.done);
    if (open < 0) this.finished();
    else this.open(open);
  }

  keys() {
    // What is typed ahead of the next item must not rate the last one.
    const cards = (act) => () => { if (this.cards && !this.busy && !this.loading) act(this.cards); };
    return {
      digit: (digit) => cards((all) => { if (all.digit(digit)) this.askReason(); })(),
      ArrowDown: cards((all) => all.activate(all.active + 1)), ArrowUp: cards((all) => all.activate(all.active - 1)),
      ArrowLeft: cards((all) => all.step(-1)), ArrowRight: cards((all) => all.step(1)),
      Enter: () => this.enter(), z: () => this.zoom(), u: () => this.undo(), g: agreement, "?": this.help,
      n: () => this.go(1), p: () => this.go(-1), c: () => this.reason?.focus(),
      Escape: () => this.cards?.activate(this.cards.active),
    };
  }

  async open(position) {
    const asked = this.items[position];
    this.position = position;
    this.loading = asked;
    try {
      const view = await get(`/api/item/${asked.id}`);
      if (this.loading === asked) this.draw(view);
    } catch (problem) {
      tell(problem.message, "bad");
    } finally {
      if (this.loading === asked) this.loading = null;
    }
  }

  draw(view) {
    this.view = view;
    const kept = this.drafts.get(view.id);
    this.draft = kept && kept.stage === view.stage ? kept : { stage: view.stage, values: { ...view.values }, reason: view.reason };
    this.drafts.set(view.id, this.draft);
    clock.restart(this.draft.seconds);
    this.cards = new Cards(view.asks, this.draft.values, () => this.ready());
    this.reason = el("textarea", {
      rows: view.needs_reason ? 3 : 2, maxlength: 4000, id: "reason", spellcheck: "true",
      on: { input: () => { this.draft.reason = this.reason.value; this.ready(); } },
    });
    this.reason.value = this.draft.reason;
    this.save = el("button", { type: "button", class: "save", on: { click: () => this.submit() } },
      view.next ? `Lock and see the ${view.next}` : "Save and go on", el("kbd", {}, "Enter"));
    this.bar();
    fill(document.getElementById("main"), this.shown(view), this.asked(view));
    document.getElementById("main").dataset.form = this.about.form;
    this.cards.activate(this.cards.active);
    this.ready();
  }

  shown(view) {
    return el("article", { class: "shown" },
      this.calibration && !this.calibration.passed && el("p", { class: "banner" }, `Calibration, round ${this.calibration.round}: `
        + `${this.calibration.images} reference images. To go on, your ranking has to agree with the consensus: SRCC above `
        + `${this.calibration.above} for both dimensions.`),
      figures(view.id, view.images, this.about.pair), blocks(view.blocks));
  }

  asked(view) {
    const label = view.needs_reason ? "Reason" : "Remark";
    const hint = view.needs_reason ? "what you see or read that makes you say so" : "if there is anything to say";
    return el("aside", { class: "asked" },
      el("p", { class: "where" }, `Item ${this.position + 1} of ${this.items.length}`,
        view.stages > 1 && el("span", {}, ` · part ${view.stage + 1} of ${view.stages}: ${view.stage_name}`),
        view.done && el("span", { class: "saved" }, " · saved")),
      view.locked.length ? el("ul", { class: "locked", title: "Locked before more was shown" },
        view.locked.map((ask) => el("li", {}, el("span", { text: ask.title }), el("b", {}, `${ask.value ?? "–"}`)))) : null,
      this.cards.node,
      el("label", { class: "reason", for: "reason" }, el("b", {}, label), ` ${hint}`), this.reason,
      this.save);
  }

  ready() {
    const whole = this.cards.open() < 0 && (!this.view.needs_reason || /[\p{L}\p{N}]/u.test(this.draft.reason));
    this.save.classList.toggle("ready", whole);
    return whole;
  }

  askReason() {
    if (this.cards.open() < 0 && this.view.needs_reason && !this.draft.reason.trim()) this.reason.focus();
  }

  enter() {
    if (this.cards) this.submit();
    else this.proceed?.();
  }

  async submit() {
    if (this.busy || this.loading || !this.cards) return;
    const open = this.cards.open();
    if (open >= 0) {
      this.cards.activate(open);
      tell(`Not rated yet: ${this.view.asks[open].title}`, "bad");
      return;
    }
    if (!this.ready()) {
      this.reason.focus();
      tell("A reason is needed.", "bad");
      return;
    }
    this.busy = true;
    try {
      await this.send();
    } catch (problem) {
      tell(problem.message, "bad");
    } finally {
      this.busy = false;
    }
  }

  async send() {
    const { position, view, draft } = this;
    const answer = { stage: view.stage, values: draft.values, reason: draft.reason, seconds: clock.seconds() };
    const said = await post(`/api/rate/${view.id}`, answer);
    this.drafts.delete(view.id);
    if (!said.finished) {
      await this.open(position);
      return;
    }
    this.items[position].done = true;
    this.saved.push(position);
    tell("Saved");
    if (said.calibration) this.judged(said.calibration);
    else this.next(position);
  }

  next(position) {
    const order = this.items.map((_, step) => (position + 1 + step) % this.items.length);
    const open = order.find((place) => !this.items[place].done);
    if (open === undefined) this.finished();
    else this.open(open);
  }

  go(by) {
    this.keep();
    const place = this.position + by;
    if (place >= 0 && place < this.items.length) this.open(place);
  }

  keep() {
    if (this.cards) this.draft.seconds = clock.seconds();
  }

  undo() {
    if (this.cards?.undo()) return;
    this.keep();
    const before = this.saved.pop() ?? (this.cards ? this.position - 1 : this.position);
    if (before >= 0) this.open(before);
  }

  zoom() {
    if (this.cards) zoom(this.view.id, this.about.pair ? ["Left", "Right"] : Array(this.view.images).fill(""));
  }

  bar() {
    drawBar(this.about, this.annotator, this.items.filter((item) => item.done).length, this.items.length, this.help, this.leave);
  }

  screen(proceed, ...content) {
    this.cards = null;
    this.proceed = proceed;
    this.bar();
    fill(document.getElementById("main"), el("section", { class: "screen" }, content));
  }

  finished() {
    this.position = this.items.length - 1;
    this.screen(null, el("h2", {}, `All ${this.items.length} items are rated.`),
      el("p", {}, "Thank you. Every answer is on disk. ", el("kbd", {}, "u"), " goes back to change one."),
      el("button", { type: "button", class: "save", on: { click: agreement } }, "Agreement", el("kbd", {}, "g")));
  }

  // How a round of the calibration went.
  judged(calibration) {
    const { last } = calibration;
    const rows = Object.entries(last.srcc).map(([name, srcc]) => el("tr", {}, el("th", {}, name),
      el("td", {}, srcc === null ? last.notes[name] || "none" : srcc.toFixed(3))));
    this.screen(this.again,
      el("h2", {}, last.passed ? "Calibration passed." : `Round ${last.round}: not there yet.`),
      el("p", {}, `Rank correlation (SRCC) with the consensus; above ${calibration.above} is needed for both:`),
      el("table", { class: "srcc" }, el("tbody", {}, rows)),
      !last.passed && el("p", {}, "Read the anchors again, then rate the same images once more."),
      el("button", { type: "button", class: "save ready", on: { click: this.again } },
        last.passed ? "Begin rating" : `Start round ${calibration.round}`, el("kbd", {}, "Enter")));
  }
}
