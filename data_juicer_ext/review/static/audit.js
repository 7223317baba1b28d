// Mode audit: rows by what became of them, with all that is known, to accept or to reject.

import { get, post } from "./api.js";
import { drawBar } from "./bar.js";
import { optionList } from "./blocks.js";
import * as clock from "./clock.js";
import { el, fill, keyList, tell } from "./dom.js";
import { figures, zoom } from "./figure.js";
import { agreement, help } from "./panels.js";
import { listen } from "./typing.js";

const KEYS = [["a", "accept the row"], ["r", "reject it"], ["c", "reason"], ["Enter", "save and go on"], ["n p", "next, previous"],
  ["1 … 9", "tab (kept, refused by a step, undecided)"], ["o", "most divided first, or in order"], ["z", "zoom"],
  ["u", "undo, then back"], ["g", "agreement"], ["?", "help"]];
const FOOT = [["a", "accept"], ["r", "reject"], ["Enter", "save"], ["n p", "move"], ["1 … 9", "tab"], ["o", "order"], ["z", "zoom"],
  ["?", "help"]];
const INTRO = "Accepting says that the row should be in the set, whatever the run decided; rejecting says that it should not. "
  + "A reason is needed to reject, and to accept what was not kept.";

export class AuditPage {
  constructor(about, started, leave) {
    Object.assign(this, { about, leave, annotator: started.annotator, items: started.items, groups: started.groups });
    this.byDisagreement = about.by_disagreement;
    this.saved = [];
    this.drafts = new Map();
    this.help = () => help(KEYS, INTRO);
    this.stop = listen(this.keys());
    fill(document.getElementById("keys"), keyList(FOOT));
  }

  keys() {
    return {
      digit: (digit) => { if (this.groups[digit - 1]) this.tab(this.groups[digit - 1].key); },
      a: () => this.decide(true), r: () => this.decide(false), c: () => this.reason?.focus(), Enter: () => this.submit(),
      n: () => this.go(1), p: () => this.go(-1), ArrowRight: () => this.go(1), ArrowLeft: () => this.go(-1),
      o: () => this.order(), z: () => this.view && zoom(this.view.id, Array(this.view.images).fill("")),
      u: () => this.undo(), g: agreement, "?": this.help,
    };
  }

  begin() {
    this.tab(this.groups[0].key);
  }

  // The rows of the open tab, in the order that is on.
  arrange() {
    this.list = this.items.filter((item) => item.group === this.group);
    if (this.byDisagreement) this.list.sort((one, other) => other.disagreement - one.disagreement);
  }

  tab(group) {
    this.group = group;
    this.arrange();
    this.open(Math.max(0, this.list.findIndex((item) => !item.done)));
  }

  order() {
    this.byDisagreement = !this.byDisagreement;
    this.arrange();
    tell(this.byDisagreement ? "Most divided first" : "In the order of the run");
    this.open(0);
  }

  async open(place) {
    this.place = place;
    const asked = this.list[place];
    this.loading = asked;
    if (!asked) {
      this.view = null;
      this.frame(el("section", { class: "screen" }, el("h2", {}, "There are no rows of this kind.")));
      return;
    }
    try {
      const view = await get(`/api/item/${asked.id}`);
      if (this.loading === asked) this.draw(view, asked);
    } catch (problem) {
      tell(problem.message, "bad");
    } finally {
      if (this.loading === asked) this.loading = null;
    }
  }

  draw(view, item) {
    Object.assign(this, { view, item });
    this.draft = this.drafts.get(view.id) || { accepted: view.accepted, reason: view.given_reason };
    this.drafts.set(view.id, this.draft);
    clock.restart();
    this.frame(this.shown(view), this.known(view));
    this.choose(this.draft.accepted, false);
  }

  frame(...content) {
    const done = this.items.filter((item) => item.done).length;
    drawBar(this.about, this.annotator, done, this.items.length, this.help, this.leave);
    fill(document.getElementById("main"), el("div", { class: "tabs", role: "tablist" },
      this.groups.map((group, place) => [
        group.verdict === "refused" && this.groups[place - 1]?.verdict !== "refused" && el("span", { class: "of" }, "Refused by"),
        this.tabButton(group)]),
      el("button", {
        type: "button", class: "plain order", "aria-pressed": String(this.byDisagreement), on: { click: () => this.order() },
      }, "Most divided first")), content);
    document.getElementById("main").dataset.form = "audit";
  }

  tabButton(group) {
    const own = this.items.filter((item) => item.group === group.key);
    const drawn = own.length < group.total ? `${own.length} of ${group.total}` : `${own.length}`;
    return el("button", {
      type: "button", role: "tab", class: `tab ${group.verdict}`, "aria-selected": String(group.key === this.group),
      data: { group: group.key }, on: { click: () => this.tab(group.key) },
    }, el("span", { text: group.title }), el("b", {}, drawn));
  }

  shown(view) {
    const part = (title, name, ...content) => el("section", { class: `block ${name}` }, el("h2", {}, title), content);
    const text = (title, name, said) => (said ? part(title, name, el("p", { class: "said", text: said })) : null);
    return el("article", { class: "shown" }, figures(view.id, view.images),
      text("Caption", "caption", view.caption), text("Claim", "claim", view.claim),
      view.paragraphs.length ? part("Citing text", "citing", this.paragraphs(view.paragraphs)) : null,
      text("Question", "question", view.question),
      view.options.length ? part("Options", "options", optionList(view.options)) : null,
      text("Rationale", "rationale", view.rationale));
  }

  paragraphs([first, ...others]) {
    const drawn = (one) => [
      el("p", { class: "place", text: [one.section, one.place].filter(Boolean).join(" · ") }),
      el("p", { class: "said", dir: "auto" }, one.before, one.sentence && el("mark", {}, one.sentence), one.after)];
    return [...drawn(first), others.length ? el("details", {},
      el("summary", {}, others.length === 1 ? "1 other paragraph" : `${others.length} other paragraphs`), others.map(drawn)) : null];
  }

  known(view) {
    this.reason = el("textarea", { rows: 2, maxlength: 4000, id: "reason", on: { input: () => this.typed() } });
    this.reason.value = this.draft.reason;
    this.buttons = [true, false].map((accepted) => el("button", {
      type: "button", class: accepted ? "accept" : "reject", on: { click: () => this.choose(accepted) },
    }, accepted ? "Accept" : "Reject", el("kbd", {}, accepted ? "a" : "r")));
    this.save = el("button", { type: "button", class: "save", on: { click: () => this.submit() } }, "Save and go on",
      el("kbd", {}, "Enter"));
    return el("aside", { class: "asked" },
      el("p", { class: "where" }, `Row ${this.place + 1} of ${this.list.length}`,
        view.disagreement > 0 && ` · divided ${view.disagreement.toFixed(2)}`, view.done && el("span", { class: "saved" }, " · saved")),
      el("div", { class: `verdict ${view.verdict}` }, el("b", {}, view.verdict),
        el("span", { text: [view.tag, view.reason].filter(Boolean).join(": ") }),
        view.message && el("p", { text: view.message })),
      el("div", { class: "decide" }, this.buttons),
      el("label", { class: "reason", for: "reason" }, el("b", {}, "Reason")), this.reason, this.save,
      el("h2", {}, "What each step said"), el("ol", { class: "trail" }, view.trail.map((step) => this.step(step))),
      view.raters.length ? [el("h2", {}, "What people said"), el("ul", { class: "raters" }, view.raters.map((one) => el("li", {},
        el("b", { text: one.annotator }), ` ${one.form}: `, el("span", { text: one.said }),
        one.reason && el("p", { class: "soft", text: one.reason }))))] : null,
      el("h2", {}, "Where it is from"),
      el("dl", { class: "facts" }, view.facts.map(([name, said]) => [el("dt", { text: name }), el("dd", { text: said })])));
  }

  step(step) {
    return el("li", { class: step.verdict },
      el("div", { class: "head" }, el("b", { text: step.tag }), el("span", { class: "badge" }, step.verdict),
        el("span", { text: step.reason })),
      step.draws.length ? el("div", { class: "draws" }, step.draws.map((draw) => el("span", {
        class: draw.right ? "draw right" : "draw", title: draw.right ? "the answer" : "", text: draw.letter,
      }))) : null,
      step.notes.map((note) => el("p", { class: "soft", text: note })),
      step.model && el("p", { class: "model soft", text: `${step.model}${step.calls ? `, ${step.calls} ${step.calls === 1 ? "call" : "calls"}` : ""}` }));
  }

  // What is typed ahead of the next row must not decide about the last one.
  decide(accepted) {
    if (this.view && !this.busy && !this.loading) this.choose(accepted);
  }

  choose(accepted, focus = true) {
    this.draft.accepted = accepted;
    this.buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(accepted === (place === 0))));
    if (focus && this.reasonIsNeeded() && !this.reason.value.trim()) this.reason.focus();
    this.ready();
  }

  typed() {
    this.draft.reason = this.reason.value;
    this.ready();
  }

  reasonIsNeeded() {
    return this.draft.accepted === false || this.view.verdict !== "kept";
  }

  ready() {
    const { accepted, reason } = this.draft;
    const whole = typeof accepted === "boolean" && (!this.reasonIsNeeded() || /[\p{L}\p{N}]/u.test(reason));
    this.save.classList.toggle("ready", whole);
    return whole;
  }

  async submit() {
    if (!this.view || this.busy || this.loading) return;
    if (!this.ready()) {
      const chosen = typeof this.draft.accepted === "boolean";
      if (chosen) this.reason.focus();
      tell(chosen ? "A reason is needed." : "Accept (a) or reject (r) first.", "bad");
      return;
    }
    this.busy = true;
    try {
      const { accepted, reason } = this.draft;
      await post(`/api/rate/${this.view.id}`, { accepted, reason, seconds: clock.seconds() });
      this.drafts.delete(this.view.id);
      this.item.done = true;
      this.saved.push([this.group, this.item]);
      tell(accepted ? "Accepted" : "Rejected");
      this.next();
    } catch (problem) {
      tell(problem.message, "bad");
    } finally {
      this.busy = false;
    }
  }

  next() {
    const order = this.list.map((_, step) => (this.place + 1 + step) % this.list.length);
    const open = order.find((place) => !this.list[place].done);
    if (open === undefined) tell("All rows of this tab are done.");
    this.open(open ?? this.place);
  }

  go(by) {
    const place = this.place + by;
    if (place >= 0 && place < this.list.length) this.open(place);
  }

  undo() {
    if (this.view && !this.view.done && typeof this.draft.accepted === "boolean") {
      this.choose(null, false);
      return;
    }
    const last = this.saved.pop();
    if (!last) return;
    [this.group] = last;
    this.arrange();
    this.open(this.list.indexOf(last[1]));
  }
}
