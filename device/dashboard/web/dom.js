/* Building elements: text is always text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element with attributes, listeners (on…) and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
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

/**
 * The element with an id; pages know which kind of element they have under it.
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/** Move the focus to the first match of a selector, if there is one. */
export function focusOn(root, selector) {
  const found = root.querySelector(selector);
  if (found instanceof HTMLElement || found instanceof SVGElement) found.focus();
}

/** Set text only where it differs, so that screen readers do not read it twice. */
export function setText(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** Set an attribute, or remove it for null and false. */
export function setAttr(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : value);
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Choices that this browser keeps; where storage is forbidden, they last until the page is closed. */
export const storage = {
  /**
   * @param {string} key
   * @param {string} fallback
   */
  get(key, fallback) {
    try {
      return localStorage.getItem(`krupier-${key}`) ?? fallback;
    } catch {
      return fallback;
    }
  },
  /**
   * @param {string} key
   * @param {string | number} value
   */
  set(key, value) {
    try {
      localStorage.setItem(`krupier-${key}`, String(value));
    } catch {
      // Storage is forbidden here.
    }
  },
};
