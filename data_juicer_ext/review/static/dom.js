// Elements made without markup: whatever rows say becomes text, in a direction of its own.

export function el(tag, about = {}, ...children) {
  const made = document.createElement(tag);
  const { text, on = {}, data = {}, ...attributes } = about;
  if (text !== undefined) {
    made.textContent = String(text);
    made.dir = "auto";
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  for (const [name, value] of Object.entries(data)) made.dataset[name] = String(value);
  for (const [name, heard] of Object.entries(on)) made.addEventListener(name, heard);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export function key(name) {
  return el("kbd", {}, name);
}

// Keys with what they do, for the foot of the page and for the help.
export function keyList(pairs) {
  return pairs.map(([keys, what]) => el("span", { class: "key" }, keys.split(" ").map(key), ` ${what}`));
}

let timer = 0;

export function tell(text, kind = "good") {
  const place = document.getElementById("told");
  place.textContent = text;
  place.dir = "auto";
  place.className = `shown ${kind}`;
  clearTimeout(timer);
  timer = setTimeout(() => { place.className = ""; }, kind === "bad" ? 9000 : 2200);
}
