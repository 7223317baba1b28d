// What is shown of a row beside its figure.

import { el } from "./dom.js";

const section = (title, name, ...children) => el("section", { class: `block ${name}` }, el("h2", {}, title), children);

const DRAWN = {
  text: (block) => section(block.title, block.title.toLowerCase(), el("p", { class: "said", text: block.text })),
  options: (block) => section(block.title, "options", optionList(block.options)),
  paragraphs: (block) => section(block.title, "citing", block.paragraphs.map((text) => el("p", { class: "said", text }))),
};

export const blocks = (list) => list.map((block) => DRAWN[block.kind](block));

export function optionList(options) {
  return el("ol", { class: "option-list" }, options.map((option) => el("li", { class: option.answer ? "answer" : "" },
    el("b", {}, option.letter), el("span", { class: "said", text: option.text }),
    option.answer && el("em", {}, "answer"))));
}
