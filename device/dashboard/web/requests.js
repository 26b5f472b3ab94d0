/* Requests to the server: the answer as a value, or an error with words for people. */

import { localized, t } from "./i18n.js";

/** A refused request; its message is for people. */
export class RequestRefused extends Error {
  constructor(status, words, found = null) {
    super(words);
    this.status = status;
    this.found = found;
  }
}

/** What a refusal says, in the language of the page where the server knows it. */
export const refusalText = (answer) => (answer?.error?.texts ? localized(answer.error.texts) : answer?.error?.what);

/**
 * Send a request, with a body as POST; RequestRefused if the server refuses it.
 * @returns {Promise<any>}
 */
export async function request(address, body = undefined) {
  const about = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(address, { ...about, credentials: "same-origin" });
  } catch {
    throw new RequestRefused(0, t("wire-lost"));
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  const error = answer?.error ?? {};
  const found = error.found === null || error.found === undefined ? "" : ` (${typeof error.found === "string" ? error.found : JSON.stringify(error.found)})`;
  const wanted = typeof error.wanted_texts === "object" ? localized(error.wanted_texts) : error.wanted;
  const wait = response.headers.get("Retry-After");
  const words = response.status === 429 && wait ? t("too-soon", { s: wait }) : `${refusalText(answer) ?? t("failed")}${found}${wanted ? ` – ${wanted}` : ""}`;
  throw new RequestRefused(response.status, words, error.found);
}
