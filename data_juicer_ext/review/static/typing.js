// Keys: what is typed into a field stays there, but for Enter and Escape.

export function listen(keys) {
  const heard = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
    const field = event.target instanceof HTMLElement && event.target.closest("textarea, input");
    if (field) {
      if (event.key === "Escape") field.blur();
      else if (event.key !== "Enter" || event.shiftKey) return;
    } else if (event.key === "Enter" && event.target instanceof HTMLButtonElement && !event.target.closest(".card, .save, .figure")) {
      return;
    }
    const act = /^[0-9]$/.test(event.key) && keys.digit ? () => keys.digit(Number(event.key)) : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  document.addEventListener("keydown", heard);
  return () => document.removeEventListener("keydown", heard);
}
