/** Never runs the work twice at once; whoever asks during a run shares the one that follows it. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const start = () => {
    next = undefined
    running = work().finally(() => {
      running = undefined
    })
    return running
  }

  return () => {
    if (next) return next
    if (!running) return start()
    next = running.catch(() => {}).then(start)
    return next
  }
}
