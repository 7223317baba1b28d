// How long an item has been looked at: time in a hidden window does not count.

let since = 0;
let gathered = 0;

export function restart(seconds = 0) {
  gathered = seconds;
  since = document.hidden ? 0 : performance.now();
}

export function seconds() {
  const open = since ? (performance.now() - since) / 1000 : 0;
  return Math.round((gathered + open) * 10) / 10;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    gathered = seconds();
    since = 0;
  } else {
    since = performance.now();
  }
});
