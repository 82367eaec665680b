// Runs in a process of its own, so that what a file does to its reader is not done to the service.
import { watchOver } from './guard.ts'
import { perform, type Task } from './look.ts'
import { UnusableFile } from './probe.ts'
import { type Reply, readyWord } from './reply.ts'

const [maximumPixels = 0, maximumMemoryMb = 0] = process.argv.slice(2).map(Number)

watchOver(maximumMemoryMb)
// Decoders leave promises behind that nobody waits for; the one that counts is awaited.
process.on('unhandledRejection', () => {})
// A signal meant for the service must not look like the fault of a file; it ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
process.on('message', async (task: Task) => {
  const reply = await answer(task)
  process.send?.(reply)
})
process.send?.(readyWord)

async function answer(task: Task): Promise<Reply> {
  const outcome = await perform(task, maximumPixels).then(
    (result) => ({ result }),
    (error: Error) => (error instanceof UnusableFile ? { refused: error.message } : { failed: error.message }),
  )
  return { ...outcome, rss: process.memoryUsage.rss() }
}
