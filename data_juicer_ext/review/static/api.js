// Calls to the server that the page came from.

export class Problem extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

async function call(path, how) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...how });
  } catch {
    throw new Problem(0, "The server cannot be reached. What you have entered stays here: try again.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(answer.status, said.problem || `The server refused this (${answer.status}).`);
  return said;
}

export const get = (path) => call(path, {});

export const post = (path, body) => call(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});

export const imageUrl = (item, index, full = false) => `/api/image/${item}/${index}${full ? "?size=full" : ""}`;
