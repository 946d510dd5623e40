// JSON.stringify, with a bigint as the whole number that it is.
function json(value: unknown): string {
  if (typeof value === "bigint") {
    return String(value);
  }
  if (typeof value !== "object" || value === null || "toJSON" in value) {
    return JSON.stringify(value) ?? "null";
  }
  if (Array.isArray(value)) {
    return `[${value.map(json).join(",")}]`;
  }
  const members = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .map(([name, v]) => `${JSON.stringify(name)}:${json(v)}`);
  return `{${members.join(",")}}`;
}
