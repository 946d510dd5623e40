function json(payload: unknown): string {
  return JSON.stringify(payload);
}
