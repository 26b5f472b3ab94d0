/* Keys: one letter each, unless somebody is writing or a dialog is open. */

/** `does` says what every key does. */
export function listenForKeys(does) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
    const action = does[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
