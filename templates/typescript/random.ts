declare const crypto: { randomUUID(): string };
