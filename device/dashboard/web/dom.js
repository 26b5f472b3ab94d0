/* Building elements: text is always text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes, listeners (on…) and children. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** Set text only where it differs, so that screen readers are not told twice. */
export function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** Put an attribute, or take it away. */
export function mark(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : value);
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** What this browser remembers for us; a browser that forbids it forgets. */
export const kept = {
  get(key, otherwise) {
    try {
      return localStorage.getItem(`krupier-${key}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`krupier-${key}`, value);
    } catch {
      // Nothing to do: the choice lasts until the page is closed.
    }
  },
};
