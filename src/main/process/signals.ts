/** Stops gracefully on the first signal, immediately on the second. */
export function stopOnSignal(stop: () => Promise<void>, signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  let stopping = false
  const onSignal = async () => {
    if (stopping) process.exit(1)
    stopping = true
    try {
      await stop()
      process.exit(0)
    } catch (error) {
      process.stderr.write(`Stopping failed: ${(error as Error).stack}\n`)
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
}
