// Serves emulators of Amazon SQS on ports of loopback, until standard input ends: node serve.mjs fauxqs=4568 local-aws-sqs=4200.
// It writes the URL of each, in a line, once it answers.
console.log = console.error; // of the emulators

const emulators = {
  // Its command and its startFauxqs listen on all interfaces, whatever host they are given.
  async fauxqs(port) {
    const { buildApp } = await import("fauxqs");
    return buildApp({ logger: false }).listen({ port, host: "127.0.0.1" });
  },
  async "local-aws-sqs"(port) {
    const { createSqsServer } = await import("local-aws-sqs");
    await createSqsServer({ port, hostname: "127.0.0.1" });
    return `http://127.0.0.1:${port}`;
  },
};

process.stdin.resume().on("end", () => process.exit());
for (const [name, port] of process.argv.slice(2).map((arg) => arg.split("="))) {
  process.stdout.write(`${await emulators[name](Number(port))}\n`);
}
