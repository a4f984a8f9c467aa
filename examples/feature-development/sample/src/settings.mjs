/** What a reader has chosen, as the cookie says it: `size=large`. */
export function readSettings(cookie = "") {
  const pairs = cookie.split(";").map((pair) => pair.trim().split("="));
  return { size: "normal", ...Object.fromEntries(pairs) };
}
