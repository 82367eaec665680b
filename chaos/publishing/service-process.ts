import type { SendStage } from '#areas/sending/attempt.ts'
import { openLog } from '#kernel/log.ts'
import { startService } from '#main/process/service.ts'
import { endpoints } from '#main/registry.ts'
import { readSettings } from '#main/settings/settings.ts'

/** What the harness tells a process. */
export type Order =
  /** Dies at this moment of a send, after letting some pass, and after so many milliseconds more. */
  | { kill: { moment: SendStage; skip: number; after: number } }
  /** The clock is so many milliseconds ahead from now on. */
  | { ahead: number }

let ahead = Number(process.env.CHAOS_AHEAD ?? 0)
let armed: Extract<Order, { kill: object }>['kill'] | undefined

const die = () => process.kill(process.pid, 'SIGKILL')

process.on('message', (order: Order) => {
  if ('kill' in order) armed = order.kill
  else ahead = order.ahead
  process.send?.('done')
})
// Started by another program, it ends with it, however that ends.
process.once('disconnect', die)

async function run() {
  const settings = readSettings(process.env)
  const service = await startService({
    settings,
    databaseUrl: settings.databaseUrl ?? '',
    endpoints,
    clock: { now: () => new Date(Date.now() + ahead) },
    log: openLog(settings.logLevel),
    watch(moment) {
      if (moment !== armed?.moment || armed.skip-- > 0) return
      const { after } = armed
      armed = undefined
      if (after === 0) die()
      setTimeout(die, after)
    },
  })
  process.once('SIGTERM', () => void service.stop().then(() => process.exit()))
  process.send?.({ url: service.url })
}

void run()
