import type { SendStage } from '#areas/sending/attempt.ts'
import { openLog } from '#kernel/log.ts'
import { startService } from '#main/process/service.ts'
import { endpoints } from '#main/registry.ts'
import { readSettings } from '#main/settings/settings.ts'

/** Command of the harness to a service process. */
export type Command =
  /** Kills the process at this point of a send, after skipping some sends and after a delay in milliseconds. */
  | { kill: { moment: SendStage; skip: number; after: number } }
  /** Sets how many milliseconds the clock is ahead. */
  | { ahead: number }

let ahead = Number(process.env.CHAOS_AHEAD ?? 0)
let pendingKill: Extract<Command, { kill: object }>['kill'] | undefined

const die = () => process.kill(process.pid, 'SIGKILL')

process.on('message', (order: Command) => {
  if ('kill' in order) pendingKill = order.kill
  else ahead = order.ahead
  process.send?.('done')
})
// Exits with the parent process.
process.once('disconnect', die)

async function run() {
  const settings = readSettings(process.env)
  const service = await startService({
    settings,
    databaseUrl: settings.databaseUrl ?? '',
    endpoints,
    clock: { now: () => new Date(Date.now() + ahead) },
    log: openLog(settings.logLevel),
    onSendStage(stage) {
      if (stage !== pendingKill?.moment || pendingKill.skip-- > 0) return
      const { after } = pendingKill
      pendingKill = undefined
      if (after === 0) die()
      setTimeout(die, after)
    },
  })
  process.once('SIGTERM', () => void service.stop().then(() => process.exit()))
  process.send?.({ url: service.url })
}

void run()
