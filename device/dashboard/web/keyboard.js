/* Keys: one letter each, unless somebody is typing or a dialog is open. */

/** Call an action for a key; `actions` has one for each. */
export function listenForKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

const isTyping = (target) => target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
