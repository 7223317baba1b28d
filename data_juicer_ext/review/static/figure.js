// Figures: on the page, and in a window where they can be zoomed and moved.

import { imageUrl } from "./api.js";
import { el, fill, keyList } from "./dom.js";

const STEP = 1.25;
const MOST = 16;

export function figures(item, count, pair = false) {
  if (!count) return el("p", { class: "missing", text: "No image is known of this row." });
  const names = pair ? ["Left", "Right"] : Array(count).fill("");
  return el("div", { class: `figures${pair ? " pair" : ""}${count > 1 ? " several" : ""}` }, names.map((name, index) => figure(item, index, name, names)));
}

function figure(item, index, name, names) {
  const missing = el("p", { class: "missing", hidden: true, text: "This image cannot be shown." });
  const image = el("img", { src: imageUrl(item, index), alt: name ? `${name} diagram` : "The figure", draggable: "false" });
  const button = el("button", {
    type: "button", class: "figure", title: "Zoom (z)", "aria-label": "Zoom", tabindex: "-1",
    on: { click: () => zoom(item, names, index) },
  }, image);
  image.addEventListener("error", () => { button.hidden = true; missing.hidden = false; });
  return el("figure", {}, name && el("figcaption", {}, name), button, missing);
}

export function zoom(item, names, first = 0) {
  if (!names.length) return;
  const view = { index: first, scale: 1, x: 0, y: 0 };
  const image = el("img", { alt: "The figure, enlarged", draggable: "false" });
  const ground = el("div", { class: "ground" }, image);
  const title = el("span", { class: "title" });
  const dialog = el("dialog", { class: "zoom", "aria-label": "Figure, enlarged" }, ground, el("div", { class: "foot" }, title,
    keyList([["+ -", "zoom"], ["0", "fit"], ["← ↑ ↓ →", "move"], ...(names.length > 1 ? [["[ ]", "other image"]] : []),
      ["z", "close"]])));

  const place = () => {
    image.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  };
  const fit = () => Object.assign(view, { scale: 1, x: 0, y: 0 });
  const show = () => {
    image.src = imageUrl(item, view.index, true);
    fill(title, names.length > 1 ? `${names[view.index] || `Image ${view.index + 1}`} (${view.index + 1} of ${names.length})` : "");
  };
  const scaled = (factor, x = 0, y = 0) => {
    const scale = Math.min(MOST, Math.max(0.5, view.scale * factor));
    const change = scale / view.scale;
    Object.assign(view, { scale, x: x - (x - view.x) * change, y: y - (y - view.y) * change });
  };
  const keys = {
    "+": () => scaled(STEP), "=": () => scaled(STEP), "-": () => scaled(1 / STEP), 0: fit,
    ArrowLeft: () => { view.x += 80; }, ArrowRight: () => { view.x -= 80; },
    ArrowUp: () => { view.y += 80; }, ArrowDown: () => { view.y -= 80; },
    "[": () => { view.index = (view.index + names.length - 1) % names.length; show(); },
    "]": () => { view.index = (view.index + 1) % names.length; show(); },
    z: () => dialog.close(), Enter: () => dialog.close(),
  };
  dialog.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    place();
  });
  ground.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = ground.getBoundingClientRect();
    scaled(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    place();
  }, { passive: false });
  ground.addEventListener("pointerdown", (event) => { ground.setPointerCapture(event.pointerId); });
  ground.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    view.x += event.movementX;
    view.y += event.movementY;
    place();
  });
  ground.addEventListener("dblclick", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  show();
  dialog.showModal();
}
